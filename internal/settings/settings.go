// Package settings reads the gateway's settings: defaults, then a YAML file, then the environment, then flags, the later
// ones winning. It reads no environment by itself and starts nothing.
//
// Read first: the table in table.go, which is all there is to set.
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

	CoreURL       string // "" for the sandbox
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
	Trace         string // "on", or off

	ConsoleClientID string // "" where nobody can sign in at the console
	ConsoleScopes   []string
	ConsoleIssuer   string // "" for the first of AuthIssuers
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

	ShutdownDelay   time.Duration // 0 for none
	Profiling       bool
	ShutdownTimeout time.Duration
	LogLevel        string
	LogOneIn        int
}

// Prefix is what the name of a setting has before it in the environment.
const Prefix = "PIXGRAPH_"

// configKey names the YAML file; it is the one key that cannot be in it.
const configKey = "config"

// ErrHelp is returned by Load for --help, after the table was printed.
var ErrHelp = errors.New("help was asked for")

// Load reads the settings from the command line's arguments and from an environment of KEY=value lines.
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

// withoutPath is the cause of an error of package os. Its text has the path, which may be a token in the wrong place.
func withoutPath(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// Check holds the settings that depend on each other to their rules. Load has done so; who changes some does it again.
func (s Settings) Check() error {
	if (s.CoreURL == "") != (s.DispatcherURL == "") {
		return errors.New("core_url and dispatcher_url must be set both, or neither for the sandbox")
	}
	if s.Sandbox() && len(s.AuthIssuers) > 0 {
		return errors.New("auth_issuer is for real services: set core_url and dispatcher_url too; the sandbox takes the tokens of its own issuer only")
	}
	if s.Sandbox() && (s.ConsoleIssuer != "" || len(s.ConsoleOrigins) > 0) {
		return errors.New("console_issuer and console_origins are for real services: the sandbox has its own issuer")
	}
	if !s.Sandbox() && s.ConsoleClientID != "" && s.ConsoleIssuer == "" && len(s.AuthIssuers) == 0 {
		return errors.New("console_client_id needs the issuer that knows it: set console_issuer, or auth_issuer")
	}
	if len(s.AuthIssuers) > 0 && s.ConsoleIssuer != "" && !slices.Contains(s.AuthIssuers, s.ConsoleIssuer) {
		return errors.New("console_issuer must be one of auth_issuer: tokens of others are refused")
	}
	if s.PagingPageParam != "" && s.PagingPageParam == s.PagingPerPageParam {
		return errors.New("paging_page_param and paging_per_page_param must be the names of two parameters")
	}
	return nil
}

// Sandbox reports whether the gateway is to run against its own sandbox.
func (s Settings) Sandbox() bool { return s.CoreURL == "" }

// layer is the settings of one source, as texts.
type layer struct {
	from   string
	values map[string]string
}

// or returns the value of a key here, or else in another layer, and whether it is in either.
func (l layer) or(other layer, key string) (value string, given bool) {
	if value, given = l.values[key]; !given {
		value, given = other.values[key]
	}
	return value, given
}

// apply puts the values into s. The first one that cannot be taken, in the order of the keys, is the error.
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
		if value == "" && !setting.takesEmpty() {
			return fmt.Errorf("%s: is empty, and must be %s (from %s)", key, setting.Takes, l.from)
		}
		if err := setting.set(s, value); err != nil {
			return fmt.Errorf("%s: must be %s (from %s)", key, setting.Takes, l.from)
		}
	}
	return nil
}

// didYouMean names the settings that begin like an unknown one.
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
