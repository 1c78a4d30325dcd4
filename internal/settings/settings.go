// Package settings reads the gateway's settings from the defaults, a YAML file, the environment and flags. Later
// sources override earlier ones. The caller passes the environment; the package starts nothing.
//
// Read the table in table.go first: it has all settings.
package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"pixgraph/graph/limits"
	"pixgraph/graph/persisted"
	"pixgraph/internal/quota"
)

// Settings are the effective settings of a gateway.
type Settings struct {
	Listen      string
	AdminListen string

	CoreURL       string // "" means the sandbox
	DispatcherURL string

	AuthMode       string // oidc or forward
	AuthIssuers    []string
	AuthAudiences  []string
	AuthAlgorithms []string
	AuthLeeway     time.Duration

	PagingPageParam      string
	PagingPerPageParam   string
	LinksMetadataPointer string

	Introspection bool
	Console       bool
	Trace         string // "on", "off" or ""

	ConsoleClientID string // "" disables sign-in at the console
	ConsoleScopes   []string
	ConsoleIssuer   string // "" means the first of AuthIssuers
	ConsoleOrigins  []string

	FastPath               bool
	OperationTimeout       time.Duration
	UpstreamTimeout        time.Duration
	UpstreamConnectTimeout time.Duration
	UpstreamCompression    bool
	UpstreamConcurrency    int
	UpstreamRetries        int
	UpstreamBreakerPercent int
	UpstreamCoalescing     bool

	Origins     []string
	Persisted   persisted.Config
	Limits      limits.Config
	MaxBody     int64
	Connections int
	Operations  int
	Memory      int64
	Bytes       quota.Limits

	ShutdownDelay   time.Duration // 0 means none
	Profiling       bool
	ShutdownTimeout time.Duration
	LogLevel        string
	LogOneIn        int
}

// Prefix is the prefix of environment variables for settings.
const Prefix = "PIXGRAPH_"

// configKey is the key of the YAML file's path. The file itself cannot contain it.
const configKey = "config"

// ErrHelp is the error of Load for --help, after it has printed the table.
var ErrHelp = errors.New("help requested")

// Load reads the settings from command-line arguments and an environment of KEY=value lines.
func Load(args, environ []string, help io.Writer) (Settings, error) {
	flags, err := fromFlags(args)
	if errors.Is(err, ErrHelp) {
		fmt.Fprint(help, Usage())
	}
	if err != nil {
		return Settings{}, err
	}
	env, err := fromEnvironment(environ)
	if err != nil {
		return Settings{}, err
	}
	layers := []layer{{from: "the defaults", values: defaults()}}
	if path, given := flags.or(env, configKey); given {
		if path == "" {
			return Settings{}, errors.New("config: is empty, and must be the path of a YAML file (from the flags or the environment)")
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return Settings{}, fmt.Errorf("config: the file cannot be read: %w", withoutPath(err))
		}
		file, err := fromYAML(text)
		if err != nil {
			return Settings{}, err
		}
		layers = append(layers, file)
	}
	var s Settings
	for _, layer := range append(layers, env, flags) {
		if err := layer.apply(&s); err != nil {
			return Settings{}, err
		}
	}
	return s, s.Check()
}

// withoutPath returns the cause of an fs.PathError. The error's text has the path, which may be a token set by mistake.
func withoutPath(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// Check validates the settings that depend on each other. Load calls it; code that changes settings afterwards must
// call it again.
func (s Settings) Check() error {
	if (s.CoreURL == "") != (s.DispatcherURL == "") {
		return errors.New("core_url and dispatcher_url must be set both, or neither for the sandbox")
	}
	if s.Sandbox() && len(s.AuthIssuers) > 0 {
		return errors.New("auth_issuer is for real services: set core_url and dispatcher_url too; the sandbox accepts the tokens of its own issuer only")
	}
	if s.Sandbox() && (s.ConsoleIssuer != "" || len(s.ConsoleOrigins) > 0) {
		return errors.New("console_issuer and console_origins are for real services: the sandbox has its own issuer")
	}
	if !s.Sandbox() && s.ConsoleClientID != "" && s.ConsoleIssuer == "" && len(s.AuthIssuers) == 0 {
		return errors.New("console_client_id needs the issuer that knows it: set console_issuer, or auth_issuer")
	}
	if len(s.AuthIssuers) > 0 && s.ConsoleIssuer != "" && !slices.Contains(s.AuthIssuers, s.ConsoleIssuer) {
		return errors.New("console_issuer must be one of auth_issuer: tokens of other issuers are rejected")
	}
	if s.PagingPageParam != "" && s.PagingPageParam == s.PagingPerPageParam {
		return errors.New("paging_page_param and paging_per_page_param must be the names of two parameters")
	}
	return nil
}

// Sandbox reports whether the gateway runs against its own sandbox.
func (s Settings) Sandbox() bool { return s.CoreURL == "" }

// layer is the settings of one source, as text.
type layer struct {
	from   string
	values map[string]string
}

// or returns the value of a key in l, or else in other. given reports whether one of them has it.
func (l layer) or(other layer, key string) (value string, given bool) {
	if value, given = l.values[key]; !given {
		value, given = other.values[key]
	}
	return value, given
}

// apply stores the values in s. It returns the error of the first invalid value, in the order of the keys.
func (l layer) apply(s *Settings) error {
	keys := make([]string, 0, len(l.values))
	for key := range l.values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	table := Table()
	for _, key := range keys {
		if key == configKey {
			continue
		}
		setting, ok := findIn(table, key)
		if !ok {
			return fmt.Errorf("%s: there is no setting of this name in %s%s", shown(key), l.from, didYouMean(key))
		}
		value := l.values[key]
		if value == "" && !setting.acceptsEmpty() {
			return fmt.Errorf("%s: is empty, and must be %s (from %s)", key, setting.Accepts, l.from)
		}
		if err := setting.set(s, value); err != nil {
			return fmt.Errorf("%s: must be %s (from %s)", key, setting.Accepts, l.from)
		}
	}
	return nil
}

// didYouMean lists the settings with the same first word as an unknown key.
func didYouMean(key string) string {
	family, _, _ := strings.Cut(key, "_")
	var near []string
	for _, setting := range Table() {
		if family != "" && strings.HasPrefix(setting.Key, family) {
			near = append(near, setting.Key)
		}
	}
	if len(near) == 0 {
		return "; --help lists them"
	}
	return "; there is " + strings.Join(near, ", ")
}
