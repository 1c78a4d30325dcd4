package settings

import (
	"slices"
	"strings"
	"time"

	"pixgraph/auth"
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/guard/persisted"
	"pixgraph/internal/certs"
	"pixgraph/internal/egress"
	"pixgraph/internal/httpserver"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// Setting is one row of the table: a key, its default, the values it accepts, and its purpose.
type Setting struct {
	Key     string
	Group   string // the heading under which it is listed
	Default string
	Type    string // in --help
	Accepts string // completes "must be …"
	Help    string
	Values  []string // all values, if they are few
	List    bool     // whether it has several values; flags and YAML may set them one by one
	// needed settings have no default and do not accept an empty value.
	needed bool
	set    func(string) error
	get    func() string
}

// acceptsEmpty reports whether the setting accepts an empty value. A setting with a default does not: an empty value is
// probably an environment variable that was not filled in.
func (s Setting) acceptsEmpty() bool { return s.Default == "" && !s.needed }

// row is a setting whose value is stored in a field.
func row[T any](key string, field *T, fallback T, k kind[T], help string) Setting {
	return Setting{
		Key: key, Default: k.format(fallback), Type: k.word, Accepts: k.accepts, Help: help, Values: k.values, List: k.list, needed: k.needed,
		set: func(text string) (err error) {
			var value T
			if text != "" {
				value, err = k.parse(text)
			}
			if err == nil {
				*field = value
			}
			return err
		},
		get: func() string { return k.format(*field) },
	}
}

// LogDebug is the value of log_level that logs most.
const LogDebug = "debug"

const (
	maxShutdown = time.Hour // no operation takes that long; more is probably in the wrong unit

	maxLiveInterval = time.Minute // a settled record is read at 30 times the interval
)

// defaultBurst allows the calls of one page of links at the same time, and some more.
const defaultBurst = 200

// Table returns every setting, that is, every value that an operator chooses for a deployment. Other values are
// constants of their packages. A new setting needs a field of Settings or of a Config in it, a row here that fills the
// field, and code that reads it. test/rules -update writes it to docs/settings.md and the Helm chart.
func Table() []Setting { return new(Settings).table() }

// table returns the settings, which read and write the fields of s.
func (s *Settings) table() []Setting {
	rate := &s.Limits.Rate
	s.Redis.Name = "redis"
	return slices.Concat(
		group("Addresses",
			row("listen", &s.Listen, "127.0.0.1:8080", address(), "address of GraphQL, GraphiQL and Payments"),
			row("admin_listen", &s.AdminListen, "127.0.0.1:9090", address(), "address of `/healthz`, `/readyz` and `/metrics`, which need no token; without TLS"),
			certificate("tls_cert", &s.TLS.Cert, "certificate of `listen` with its intermediates, in PEM; with it, clients must use TLS"),
			certificate("tls_key", &s.TLS.Key, "key of `tls_cert`, in PEM"),
			certificate("tls_client_ca", &s.TLS.CA, "CA certificates in PEM; if set, clients must have a certificate of one of them"),
		),
		group("APIs",
			row("core_url", &s.Client.CoreURL, "", baseURL(), "base URL of the core API; if it is not set, the sandbox is used"),
			row("dispatcher_url", &s.Client.DispatcherURL, "", baseURL(), "base URL of the dispatcher API"),
			row("paging_page_param", &s.Client.PageParam, "", parameter(), "name of the core API's page number parameter"),
			row("paging_per_page_param", &s.Client.PerPageParam, "", parameter(), "name of the core API's page size parameter"),
			row("links_metadata_pointer", &s.LinksMetadataPointer, "", pointer(), "where a transaction's metadata has the ids of its notifications"),
		),
		group("Sandbox",
			row("sandbox_deposits", &s.SandboxDeposits, 2000, number(2000, maxCount),
				"deposits of the sandbox; those beyond 2000 are of the 30 days before it starts, a sixth of them of one day"),
		),
		group("Network of the core API", s.network("core", &s.Core)...),
		group("Network of the dispatcher API", s.network("dispatcher", &s.Dispatcher)...),
		group("Network of the issuers", s.network("auth", &s.Auth)...),
		group("Authentication",
			row("auth_mode", &s.Tokens.Mode, auth.ModeOIDC, oneOf(auth.ModeOIDC, auth.ModeForward),
				"`oidc`: the gateway verifies tokens; `forward`: only the APIs do"),
			row("auth_issuer", &s.Tokens.Issuers, nil, issuers(), "OIDC issuers whose tokens are accepted; at the first one, users of GraphiQL and Payments sign in"),
			row("auth_audience", &s.Tokens.Audiences, nil, list(), "audiences, of which a token must have at least one"),
			row("auth_token_binding", &s.Tokens.Binding, auth.BindingGateway, oneOf(auth.BindingGateway, auth.BindingProxy),
				"who checks the sender of a token that is bound to it (`cnf`): `gateway`, by the client certificate of the connection (`tls_client_ca`); or a `proxy` in front"),
		),
		group("Clients",
			row("public_url", &s.PublicURL, "", publicURL(),
				"URL of the gateway for clients, without `/graphql`; with it they discover from a 401 where to sign in (RFC 9728)"),
			row("introspection", &s.Introspection, true, onOff(), "whether clients can read the schema"),
			row("federation", &s.Federation, false, onOff(), "whether the gateway is a subgraph of a federated schema (Apollo Federation 2)"),
			row("trace", &s.Trace, "", tracing(),
				"whether clients can request `extensions.trace`, the upstream calls; if not set, on with the sandbox only"),
			row("cors_origins", &s.CORS.Origins, nil, origins(), "origins whose pages may use the gateway from a browser"),
			row("persisted_manifest", &s.Persisted.Manifests, nil, files(), "files of trusted documents, such as one for each client"),
			row("persisted_only", &s.Persisted.Only, persisted.OnlyOff, onOffReport(), "whether only the documents of the manifest are accepted; report accepts all, and counts and logs those that on would reject"),
		),
		group("Assistants",
			row("mcp", &s.Assistants, false, onOff(),
				"whether assistants can read payments at `/mcp`, by the Model Context Protocol; needs `public_url`, `auth_mode=oidc` and `auth_audience`"),
			row("mcp_personal_data", &s.AssistantsPersonalData, false, onOff(),
				"whether they also see tax ids, e-mail addresses, phone numbers, addresses and Pix keys"),
		),
		group("GraphiQL",
			row("console", &s.Console, true, onOff(), "whether GraphiQL is served at `/`, and Payments at `/payments`"),
			row("console_client_id", &s.ConsoleClientID, "", str(),
				"client id of the pages at the issuer; without it, users paste a token"),
			row("console_scopes", &s.ConsoleScopes, []string{"openid"}, list(), "scopes that the pages request at sign-in"),
			row("console_fees", &s.ConsoleFees, "unknown", oneOf("unknown", "cents", "reais"),
				"unit of `feeAmount`, which the API does not document; Payments shows fees as money if it is known"),
		),
		group("Timeouts and calls",
			row("operation_timeout", &s.OperationTimeout, 30*time.Second, duration(minDuration, httpserver.MaxOperation),
				"timeout of an operation; a field without data by then is an error"),
			row("upstream_timeout", &s.Client.Timeout, client.DefaultTimeout, duration(minDuration, httpserver.MaxOperation),
				"timeout of an upstream call, including its time in the queue"),
			row("upstream_http", &s.Client.HTTP, client.HTTP1, oneOf(client.HTTP1, client.NetHTTP),
				"`http1`: calls use HTTP/1.1; `net`: HTTP/2 if the API offers it over TLS, at the cost of CPU time"),
			row("upstream_concurrency", &s.Client.Concurrency, client.DefaultConcurrency, number(1, maxCount),
				"concurrent calls to each API; four times as many wait, and four times as many operations run"),
			row("upstream_breaker_percent", &s.Client.Breaker.Percent, client.DefaultBreakerPercent, number(0, 100),
				"percentage of failed calls that opens the circuit breaker of an API; 0 for never"),
			row("upstream_compression", &s.Client.Compression, false, onOff(),
				"whether the APIs compress their responses: for a slow network, at the cost of CPU time"),
		),
		group("Limits",
			row("limits_memory", &s.Memory, defaultMemory, size(),
				"memory of all requests, at most three quarters of one caller; more get `OVERLOADED`. The limits of connections and streams are in proportion"),
			row("limits_cost", &s.Limits.MaxCost, limits.DefaultMaxCost, number(1, maxCount), "upstream calls of one operation in the worst case"),
		),
		group("Rate limits",
			row("rate_identity", &rate.PerIdentity.PerSecond, 0, perSecond(), "rate limit of a caller, in upstream calls per second"),
			row("rate_identity_burst", &rate.PerIdentity.Burst, defaultBurst, number(1, maxCount),
				"upstream calls that a caller, or a client address, may cause at the same time"),
			row("rate_address", &rate.PerAddress.PerSecond, 0, perSecond(), "rate limit of a client address, in upstream calls per second"),
			row("rate_trusted_proxies", &rate.TrustedProxies, nil, networks(), "proxies whose `X-Forwarded-For` has the client's address"),
		),
		group("Fleet",
			row("redis_url", &s.Fleet.URL, "", redisURL(),
				"Redis or Valkey that replicas share rate limits, registered documents and hints at changes through; its password is never shown"),
			row("redis_password_file", &s.Fleet.PasswordFile, "", file(), "file with the password, read for each connection"),
			row("redis_prefix", &s.Fleet.Prefix, "pixgraph:", prefix(), "prefix of the keys and of the channel; the same for all replicas of a fleet, and for no other"),
			row("redis_ca", &s.Redis.CA, "", file(), "certificate authorities that are trusted in addition to the system's, in PEM"),
			row("redis_client_cert", &s.Redis.ClientCert, "", file(), "client certificate with its intermediates, in PEM"),
			row("redis_client_key", &s.Redis.ClientKey, "", file(), "key of the client certificate, in PEM"),
		),
		group("Live",
			row("live", &s.Live, true, onOff(), "whether clients may subscribe to changes; if not, the schema has neither `Subscription` nor fields that wait"),
			row("live_interval", &s.Streams.Interval, live.DefaultInterval, duration(minDuration, maxLiveInterval),
				"time between two reads of a record that may change at any moment; others are read more rarely"),
			row("live_polls", &s.Streams.Polls, live.DefaultPolls, number(1, maxCount),
				"reads of all streams per second; if they need more, the intervals of the callers that need most become longer"),
			row("live_nudge_secret", &s.LiveNudgeSecret, "", secret(),
				"path below `/nudge/` to which webhooks are sent, so that streams notice changes at once; never shown"),
		),
		group("Operation",
			row("shutdown_delay", &s.ShutdownDelay, 5*time.Second, duration(0, maxShutdown),
				"how long requests are served after SIGTERM while `/readyz` fails, so that load balancers notice; with the sandbox 0s"),
			row("shutdown_timeout", &s.ShutdownTimeout, 15*time.Second, duration(minDuration, maxShutdown),
				"how long running operations may take after `shutdown_delay`"),
			row("log_level", &s.LogLevel, "info", oneOf(LogDebug, "info", "warn", "error"),
				"minimum severity of log lines; `debug` also logs every operation, not one in 100 of those without errors"),
		),
	)
}

// network returns the settings of the connections to one server.
func (s *Settings) network(prefix string, c *egress.Config) []Setting {
	c.Name = prefix
	return []Setting{
		row(prefix+"_ca", &c.CA, "", file(), "certificate authorities that are trusted in addition to the system's, in PEM"),
		row(prefix+"_client_cert", &c.ClientCert, "", file(), "client certificate with its intermediates, in PEM"),
		row(prefix+"_client_key", &c.ClientKey, "", file(), "key of the client certificate, in PEM"),
		row(prefix+"_proxy", &c.Proxy, "", proxy(), "proxy that is asked for a tunnel by CONNECT; none is taken from the environment"),
		row(prefix+"_proxy_credentials", &c.ProxyCredentials, "", file(), "file with `user:password` for the proxy, read for each connection"),
	}
}

// certificate is a setting that is the path of a file of certificates or keys.
func certificate(key string, f *certs.File, help string) Setting {
	f.Setting = key
	return row(key, &f.Path, "", file(), help)
}

// group lists settings under a heading.
func group(heading string, rows ...Setting) []Setting {
	for i := range rows {
		rows[i].Group = heading
	}
	return rows
}

// find returns the setting with a key.
func find(key string) (Setting, bool) {
	table := Table()
	i := slices.IndexFunc(table, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return table[i], true
}

// keys returns the keys of all settings, and of the path of the YAML file.
func keys() []string {
	list := []string{configKey}
	for _, setting := range Table() {
		list = append(list, setting.Key)
	}
	return list
}

// flagName is a key as a flag, and variableName as an environment variable.
func flagName(key string) string     { return "--" + strings.ReplaceAll(key, "_", "-") }
func variableName(key string) string { return Prefix + strings.ToUpper(key) }
