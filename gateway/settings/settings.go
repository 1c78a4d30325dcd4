// Package settings reads the gateway's settings from the defaults, a YAML file, the environment and flags. Later
// sources override earlier ones. The caller passes the environment; the package starts nothing.
//
// Read the table in table.go first: it has all settings.
package settings

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"pixgraph/auth"
	"pixgraph/fleet"
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/guard/persisted"
	"pixgraph/internal/certs"
	"pixgraph/internal/egress"
	"pixgraph/internal/filewatch"
	"pixgraph/serve/cors"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// Settings are the effective settings of a gateway.
type Settings struct {
	Listen      string
	AdminListen string
	TLS         certs.Config // of Listen; no TLS without a certificate. Without a CA file, clients need none

	Client          client.Config // without the connections to the APIs; CoreURL "" means the sandbox
	SandboxDeposits int

	Tokens auth.Config // without the connections to the issuers

	Core, Dispatcher, Auth egress.Config // the connections to the APIs and the issuers

	Fleet fleet.Config  // without the connections to Redis; URL "" means that the replicas do not act as one
	Redis egress.Config // those connections

	LinksMetadataPointer string

	PublicURL                          string
	Assistants, AssistantsPersonalData bool

	Introspection bool
	Console       bool
	Trace         string // "on", "off" or ""

	ConsoleClientID string // "" disables sign-in at the console
	ConsoleScopes   []string
	ConsoleIssuer   string // that of a sandbox; "" means the first of Tokens.Issuers
	ConsoleFees     string // "unknown", "cents" or "reais"

	OperationTimeout time.Duration

	CORS        cors.Config
	Persisted   persisted.Config
	Limits      limits.Config
	Connections int // of clients; Fit sets it
	Operations  int // concurrent ones; Load sets it
	Memory      int64

	Live            bool
	Federation      bool
	Streams         live.Config // the limits, of which Fit sets the numbers of streams
	LiveNudgeSecret Secret      // "" means none

	ShutdownDelay   time.Duration // 0 means none
	ShutdownTimeout time.Duration
	LogLevel        string

	given map[string]bool // the keys that are not defaults
}

// Prefix is the prefix of environment variables for settings.
const Prefix = "PIXGRAPH_"

// configKey is the key of the YAML file's path. The file itself cannot contain it.
const configKey = "config"

// Load reads the settings from command-line arguments and an environment of KEY=value lines. The arguments may contain
// the command's own flags too.
func Load(args, environ []string, own ...Flag) (Settings, error) {
	s, operands, err := LoadCommand(args, environ, own...)
	if err == nil && len(operands) > 0 {
		return Settings{}, errors.New("an argument is not a flag; flags are --name=value, after the command")
	}
	return s, err
}

// LoadCommand reads the settings as Load does, for a command that has operands: arguments that are not flags.
func LoadCommand(args, environ []string, own ...Flag) (s Settings, operands []string, err error) {
	flags, operands, err := fromFlags(args, own)
	if err != nil {
		return Settings{}, nil, err
	}
	s, err = load(flags, environ)
	return s, operands, err
}

// load reads the settings from all sources.
func load(flags layer, environ []string) (Settings, error) {
	env, err := fromEnvironment(environ)
	if err != nil {
		return Settings{}, err
	}
	layers := []layer{env, flags}
	path, given := flags.values[configKey]
	if !given {
		path, given = env.values[configKey]
	}
	if given {
		if path == "" {
			return Settings{}, errors.New("config: is empty, and must be the path of a YAML file (from the flags or the environment)")
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return Settings{}, fmt.Errorf("config: the file cannot be read: %w", filewatch.WithoutPath(err))
		}
		file, err := fromYAML(text)
		if err != nil {
			return Settings{}, err
		}
		layers = []layer{file, env, flags}
	}
	var s Settings
	table := s.table()
	for _, setting := range table {
		if err := setting.set(setting.Default); err != nil {
			return Settings{}, fmt.Errorf("%s: the default is not accepted: %w", setting.Key, err)
		}
	}
	s.given = map[string]bool{}
	for _, layer := range layers {
		if err := layer.apply(table); err != nil {
			return Settings{}, err
		}
		for key := range layer.values {
			s.given[key] = true
		}
	}
	s.Limits.Rate.PerAddress.Burst = s.Limits.Rate.PerIdentity.Burst
	s.Streams.Heartbeat = live.DefaultHeartbeat
	s.Operations = operationsPerCall * s.Client.Concurrency
	s.Fit(0, 0)
	return s, s.Check()
}

// ChecksCertificates reports whether tokens that are bound to a client certificate are accepted with it.
func (s Settings) ChecksCertificates() bool {
	return s.Tokens.Mode == auth.ModeOIDC && s.Tokens.Binding == auth.BindingGateway && s.TLS.CA.Path != ""
}

// SignIn returns the issuer at which users of the pages sign in, "" without console_client_id.
func (s Settings) SignIn() string {
	if s.ConsoleClientID == "" || s.ConsoleIssuer != "" {
		return s.ConsoleIssuer
	}
	return s.Tokens.Issuers[0] // Check requires an issuer if there is a client
}

// Verified returns what is accepted as a token. In forward mode the gateway verifies nothing, and auth_issuer is where
// users sign in.
func (s Settings) Verified() auth.Config {
	config := s.Tokens
	if config.SignIn = s.SignIn(); config.SignIn != "" && config.Mode == auth.ModeForward {
		config.Issuers = nil
	}
	return config
}

// Check validates the settings that depend on each other. Load calls it; code that changes settings afterwards must
// call it again.
func (s Settings) Check() error {
	if (s.Client.CoreURL == "") != (s.Client.DispatcherURL == "") {
		return errors.New("core_url and dispatcher_url must both be set, or neither for the sandbox")
	}
	if (s.TLS.Cert.Path == "") != (s.TLS.Key.Path == "") || s.TLS.Cert.Path == "" && s.TLS.CA.Path != "" {
		return errors.New("tls_cert and tls_key must both be set, or neither; tls_client_ca needs them")
	}
	if s.Sandbox() && len(s.Tokens.Issuers) > 0 {
		return errors.New("auth_issuer is for real services: set core_url and dispatcher_url too; the sandbox accepts the tokens of its own issuer only")
	}
	if !s.Sandbox() && s.ConsoleClientID != "" && len(s.Tokens.Issuers) == 0 {
		return errors.New("console_client_id needs the issuer that knows it: set auth_issuer")
	}
	for _, c := range []egress.Config{s.Core, s.Dispatcher, s.Auth} {
		if s.Sandbox() && c != (egress.Config{Name: c.Name}) {
			return fmt.Errorf("%[1]s_ca, %[1]s_client_cert, %[1]s_client_key and %[1]s_proxy are for real services: the sandbox is in the same process", c.Name)
		}
		if (c.ClientCert == "") != (c.ClientKey == "") {
			return fmt.Errorf("%[1]s_client_cert and %[1]s_client_key must both be set, or neither", c.Name)
		}
		url := map[string]string{s.Core.Name: s.Client.CoreURL, s.Dispatcher.Name: s.Client.DispatcherURL}[c.Name]
		if strings.HasPrefix(strings.ToLower(url), "http:") && (c.CA != "" || c.ClientCert != "") {
			return fmt.Errorf("%[1]s_ca and %[1]s_client_cert are for https, but %[1]s_url begins with http", c.Name)
		}
		if c.ProxyCredentials != "" && c.Proxy == "" {
			return fmt.Errorf("%[1]s_proxy_credentials needs %[1]s_proxy", c.Name)
		}
	}
	if err := s.checkFleet(); err != nil {
		return err
	}
	if err := s.checkAssistants(); err != nil {
		return err
	}
	if s.Client.PageParam != "" && s.Client.PageParam == s.Client.PerPageParam {
		return errors.New("paging_page_param and paging_per_page_param must be the names of two parameters")
	}
	return s.Persisted.Check()
}

// checkAssistants requires what makes the gateway and the APIs one resource, whose tokens are sent to both. The sandbox
// fills in the URL and the audience.
func (s Settings) checkAssistants() error {
	switch {
	case !s.Assistants && !s.AssistantsPersonalData:
		return nil
	case !s.Assistants:
		return errors.New("mcp_personal_data needs mcp")
	case !s.Sandbox() && s.PublicURL == "":
		return errors.New("mcp needs public_url: clients request tokens for that URL with /mcp")
	case s.Tokens.Mode != auth.ModeOIDC:
		return errors.New("mcp needs auth_mode=oidc: tokens that are sent to /mcp must be for this gateway, which it then checks")
	case !s.Sandbox() && len(s.Tokens.Audiences) == 0:
		return errors.New("mcp needs auth_audience: tokens that are sent to /mcp must be for this gateway")
	}
	return nil
}

// Sandbox reports whether the gateway runs against its own sandbox.
func (s Settings) Sandbox() bool { return s.Client.CoreURL == "" }

// layer is the settings of one source, as text.
type layer struct {
	from   string
	values map[string]string
}

// apply sets the values. It returns the error of the first invalid value, in the order of the table.
func (l layer) apply(table []Setting) error {
	for _, setting := range table {
		value, given := l.values[setting.Key]
		if !given {
			continue
		}
		if value == "" && !setting.acceptsEmpty() {
			return fmt.Errorf("%s: is empty, and must be %s (from %s)", setting.Key, setting.Accepts, l.from)
		}
		if err := setting.set(value); err != nil {
			var origin *cors.OriginError
			if errors.As(err, &origin) && origin.Meant != "" {
				return fmt.Errorf("%s: %w (from %s)", setting.Key, err, l.from)
			}
			return fmt.Errorf("%s: must be %s (from %s)", setting.Key, setting.Accepts, l.from)
		}
	}
	return nil
}
