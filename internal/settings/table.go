package settings

import (
	"net/netip"
	"slices"
	"time"

	"pixgraph/graph/limits"
	"pixgraph/graph/transport"
	"pixgraph/upstream/client"
)

// Setting is one row of the table: a key, its default, the values it accepts, and its purpose.
type Setting struct {
	Key     string
	Default string
	Accepts string // completes "must be …"
	Help    string
	List    bool // whether it has several values; flags and YAML may set them one by one
	// needed settings have no default and do not accept an empty value.
	needed bool
	set    func(*Settings, string) error
	get    func(Settings) string
}

// acceptsEmpty reports whether the setting accepts an empty value. A setting with a default does not: an empty value is probably
// an environment variable that was not filled in.
func (s Setting) acceptsEmpty() bool { return s.Default == "" && !s.needed }

// MaxOperationTimeout is the largest timeout of an operation and of an upstream call. It is some seconds shorter than the
// timeout after which the HTTP server closes a connection.
const MaxOperationTimeout = 50 * time.Second

const (
	maxLeeway   = 5 * time.Minute // the limit of package auth: more would make expiry meaningless
	maxShutdown = time.Hour       // no operation takes that long; more is probably in the wrong unit
)

// defaultBurst allows the calls of one page of links at the same time, and some more.
const defaultBurst = 200

// Table returns every setting, that is, every value that an operator chooses for a deployment. Other values are constants of
// their packages. A new setting needs a row here and one in README's table; a test compares them.
func Table() []Setting {
	return []Setting{
		address("listen", "127.0.0.1:8080", "address of GraphQL and GraphiQL",
			func(s *Settings) *string { return &s.Listen }),
		address("admin_listen", "127.0.0.1:9090", "address of `/healthz`, `/readyz` and `/metrics`, which need no token",
			func(s *Settings) *string { return &s.AdminListen }),
		baseURL("core_url", "base URL of the core API; the sandbox is started if it is not set",
			func(s *Settings) *string { return &s.CoreURL }),
		baseURL("dispatcher_url", "base URL of the dispatcher API",
			func(s *Settings) *string { return &s.DispatcherURL }),
		choice("auth_mode", "oidc", "verify tokens in the gateway (`oidc`), or only forward them and let the APIs decide (`forward`)",
			[]string{"oidc", "forward"}, func(s *Settings) *string { return &s.AuthMode }),
		issuers("auth_issuer", "OIDC issuers whose tokens are accepted",
			func(s *Settings) *[]string { return &s.AuthIssuers }),
		list("auth_audience", "", "audiences, of which a token must have at least one",
			func(s *Settings) *[]string { return &s.AuthAudiences }),
		list("auth_algorithms", "RS256,ES256", "signature algorithms that are accepted",
			func(s *Settings) *[]string { return &s.AuthAlgorithms }),
		duration("auth_leeway", 30*time.Second, maxLeeway, "tolerated difference between the clocks of the gateway and an issuer",
			func(s *Settings) *time.Duration { return &s.AuthLeeway }),
		parameter("paging_page_param", "name of the API's page number parameter, which its documentation does not show",
			func(s *Settings) *string { return &s.PagingPageParam }),
		parameter("paging_per_page_param", "name of the API's page size parameter",
			func(s *Settings) *string { return &s.PagingPerPageParam }),
		pointer("links_metadata_pointer", "location of notification ids in a transaction's metadata",
			func(s *Settings) *string { return &s.LinksMetadataPointer }),
		onOff("introspection", "on", "whether clients can read the schema",
			func(s *Settings) *bool { return &s.Introspection }),
		onOff("console", "on", "whether GraphiQL is served at `/`",
			func(s *Settings) *bool { return &s.Console }),
		text("console_client_id", "GraphiQL's client id at the OIDC issuer, of a public client; without it, users paste a token",
			func(s *Settings) *string { return &s.ConsoleClientID }),
		list("console_scopes", "openid", "scopes that GraphiQL requests",
			func(s *Settings) *[]string { return &s.ConsoleScopes }),
		issuer("console_issuer", "issuer at which GraphiQL signs users in; the first of `auth_issuer` if not set",
			func(s *Settings) *string { return &s.ConsoleIssuer }),
		issuers("console_origins", "origins of the issuer's endpoints other than its own",
			func(s *Settings) *[]string { return &s.ConsoleOrigins }),
		sandboxOn("trace", "whether clients can request a trace of upstream calls (`extensions.trace`); if not set, on with the sandbox and off otherwise",
			func(s *Settings) *string { return &s.Trace }),
		onOff("fast_path", "on", "whether responses are copied from the bytes of the APIs; if off, gqlgen writes them",
			func(s *Settings) *bool { return &s.FastPath }),
		duration("operation_timeout", 30*time.Second, MaxOperationTimeout, "timeout of an operation; a field without data by then is an error",
			func(s *Settings) *time.Duration { return &s.OperationTimeout }),
		duration("upstream_timeout", client.DefaultTimeout, MaxOperationTimeout, "timeout of an upstream call, including its time in the queue",
			func(s *Settings) *time.Duration { return &s.UpstreamTimeout }),
		duration("upstream_connect_timeout", client.DefaultConnectTimeout, MaxOperationTimeout,
			"timeout of a connection to an API: name resolution, TCP and TLS; the call may be retried after it",
			func(s *Settings) *time.Duration { return &s.UpstreamConnectTimeout }),
		onOff("upstream_compression", "off",
			"whether gzip is requested from the APIs; useful on a slow network, but it takes more CPU time than the rest of a call",
			func(s *Settings) *bool { return &s.UpstreamCompression }),
		number("upstream_concurrency", client.DefaultConcurrency, mostCount, "concurrent calls to each API",
			func(s *Settings) *int { return &s.UpstreamConcurrency }),
		count("upstream_retries", 1, mostRetries, "maximum retries of a call that got no response, or one that permits a retry",
			func(s *Settings) *int { return &s.UpstreamRetries }),
		percent("upstream_breaker_percent", client.DefaultBreakerPercent, "percentage of failed calls to an API that opens its circuit breaker",
			func(s *Settings) *int { return &s.UpstreamBreakerPercent }),
		onOff("upstream_coalescing", "on", "whether concurrent identical calls with the same token are coalesced into one",
			func(s *Settings) *bool { return &s.UpstreamCoalescing }),
		origins("cors_origins", "origins whose pages may use the gateway from a browser",
			func(s *Settings) *[]string { return &s.Origins }),
		onOff("persisted_automatic", "on", "whether clients may register documents by their hash (APQ)",
			func(s *Settings) *bool { return &s.Persisted.Automatic }),
		text("persisted_manifest", "path of a file of trusted documents",
			func(s *Settings) *string { return &s.Persisted.Manifest }),
		onOff("persisted_only", "off", "whether only the documents of the manifest are accepted",
			func(s *Settings) *bool { return &s.Persisted.Only }),
		number("limits_connections", 10_000, mostCount, "concurrent client connections; further ones wait",
			func(s *Settings) *int { return &s.Connections }),
		number("limits_operations", 1000, mostCount,
			"concurrent operations, of which one caller gets at most three quarters; further ones are rejected with 503",
			func(s *Settings) *int { return &s.Operations }),
		number("limits_memory", 192<<20, mostMemory,
			"bytes that all requests together hold, of which one caller gets at most three quarters; more is rejected with OVERLOADED",
			func(s *Settings) *int64 { return &s.Memory }),
		number("limits_read", 32<<20, mostMemory, "bytes that one operation may read from the APIs, after decompression",
			func(s *Settings) *int64 { return &s.Bytes.Read }),
		number("limits_answer", 16<<20, mostBytes, "bytes of the data of one response",
			func(s *Settings) *int64 { return &s.Bytes.Answer }),
		number("limits_body", transport.DefaultMaxBody, mostBytes, "bytes of a request body",
			func(s *Settings) *int64 { return &s.MaxBody }),
		number("limits_depth", limits.DefaultDepth, mostNesting, "nesting depth of fields, fragments expanded",
			func(s *Settings) *int { return &s.Limits.Depth }),
		number("limits_cost", limits.DefaultMaxCost, mostCount, "upstream calls that an operation may cause in the worst case",
			func(s *Settings) *int { return &s.Limits.MaxCost }),
		rate("rate_identity", "rate limit of a caller, in upstream calls per second",
			func(s *Settings) *float64 { return &s.Limits.Rate.PerIdentity.PerSecond }),
		number("rate_identity_burst", defaultBurst, mostCount, "upstream calls that a caller may cause at the same time",
			func(s *Settings) *int { return &s.Limits.Rate.PerIdentity.Burst }),
		rate("rate_address", "rate limit of a client address, in upstream calls per second",
			func(s *Settings) *float64 { return &s.Limits.Rate.PerAddress.PerSecond }),
		number("rate_address_burst", defaultBurst, mostCount, "upstream calls that a client address may cause at the same time",
			func(s *Settings) *int { return &s.Limits.Rate.PerAddress.Burst }),
		networks("rate_trusted_proxies", "proxies whose X-Forwarded-For is trusted for the client's address",
			func(s *Settings) *[]netip.Prefix { return &s.Limits.Rate.TrustedProxies }),
		pause("shutdown_delay", 5*time.Second, maxShutdown,
			"how long requests are still accepted after SIGTERM while readiness is off, so that load balancers notice; 0 with the sandbox",
			func(s *Settings) *time.Duration { return &s.ShutdownDelay }),
		duration("shutdown_timeout", 15*time.Second, maxShutdown, "how long running operations may take to finish after `shutdown_delay`",
			func(s *Settings) *time.Duration { return &s.ShutdownTimeout }),
		onOff("profiling", "off", "whether Go profiles are served at `/debug/pprof/` of the admin address; heap profiling takes some CPU time",
			func(s *Settings) *bool { return &s.Profiling }),
		choice("log_level", "info", "minimum severity of log lines",
			[]string{"debug", "info", "warn", "error"}, func(s *Settings) *string { return &s.LogLevel }),
		number("log_one_in", 100, mostCount, "one of this many operations without errors is logged; operations with errors are always logged",
			func(s *Settings) *int { return &s.LogOneIn }),
	}
}

func find(key string) (Setting, bool) { return findIn(Table(), key) }

func findIn(table []Setting, key string) (Setting, bool) {
	i := slices.IndexFunc(table, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return table[i], true
}

func defaults() map[string]string {
	values := map[string]string{}
	for _, setting := range Table() {
		if setting.Default != "" {
			values[setting.Key] = setting.Default
		}
	}
	return values
}
