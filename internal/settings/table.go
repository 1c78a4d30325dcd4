package settings

import (
	"net/netip"
	"slices"
	"time"

	"pixgraph/graph/limits"
	"pixgraph/graph/transport"
	"pixgraph/upstream/client"
)

// Setting is one row of the table: a key, what it takes, its default, what it is for.
type Setting struct {
	Key     string
	Default string
	Takes   string // completes "must be …"
	Help    string
	List    bool // whether it holds several values, which flags and YAML may also give one by one
	// needed settings have no default and take no empty value: they are left out, or they are something.
	needed bool
	set    func(*Settings, string) error
	get    func(Settings) string
}

// takesEmpty reports whether the setting can be set to nothing. Where there is a default it cannot: an empty value there is
// a variable that somebody forgot to fill, not a wish.
func (s Setting) takesEmpty() bool { return s.Default == "" && !s.needed }

// MaxOperationTimeout is the longest that an operation, and a call for one, may be given. The HTTP server cuts a connection
// some seconds later, when there would be nobody to answer.
const MaxOperationTimeout = 50 * time.Second

const (
	maxLeeway   = 5 * time.Minute // package auth takes no more: expiry would be a fiction
	maxShutdown = time.Hour       // nothing that runs takes that long; more is a mistaken unit
)

// defaultBurst is a page of links at once, and some more.
const defaultBurst = 200

// Table lists every setting: what an operator decides for a deployment. What no operator changes is a constant of its
// package. A new setting is a row here, and a row of README's table, which a test compares.
func Table() []Setting {
	return []Setting{
		address("listen", "127.0.0.1:8080", "where GraphQL and the console are served",
			func(s *Settings) *string { return &s.Listen }),
		address("admin_listen", "127.0.0.1:9090", "where `/healthz`, `/readyz` and `/metrics` are served, to whoever can reach it",
			func(s *Settings) *string { return &s.AdminListen }),
		baseURL("core_url", "the core API; without it the sandbox is started",
			func(s *Settings) *string { return &s.CoreURL }),
		baseURL("dispatcher_url", "the dispatcher API",
			func(s *Settings) *string { return &s.DispatcherURL }),
		choice("auth_mode", "oidc", "verify tokens here, or only forward them and let the APIs decide",
			[]string{"oidc", "forward"}, func(s *Settings) *string { return &s.AuthMode }),
		issuers("auth_issuer", "the OIDC issuers whose tokens are taken",
			func(s *Settings) *[]string { return &s.AuthIssuers }),
		list("auth_audience", "", "the audiences of which a token must carry one",
			func(s *Settings) *[]string { return &s.AuthAudiences }),
		list("auth_algorithms", "RS256,ES256", "the signature algorithms that are taken",
			func(s *Settings) *[]string { return &s.AuthAlgorithms }),
		duration("auth_leeway", 30*time.Second, maxLeeway, "how far an issuer's clock may be off",
			func(s *Settings) *time.Duration { return &s.AuthLeeway }),
		parameter("paging_page_param", "the name of the API's page number parameter, which the spec does not show",
			func(s *Settings) *string { return &s.PagingPageParam }),
		parameter("paging_per_page_param", "the name of its page size parameter",
			func(s *Settings) *string { return &s.PagingPerPageParam }),
		pointer("links_metadata_pointer", "where a transaction's metadata holds the ids of its notifications",
			func(s *Settings) *string { return &s.LinksMetadataPointer }),
		onOff("introspection", "on", "whether clients can read the schema",
			func(s *Settings) *bool { return &s.Introspection }),
		onOff("console", "on", "whether GraphiQL is served at `/`",
			func(s *Settings) *bool { return &s.Console }),
		text("console_client_id", "what an OIDC issuer knows GraphiQL as, a public client; without it a token is pasted",
			func(s *Settings) *string { return &s.ConsoleClientID }),
		list("console_scopes", "openid", "the scopes that GraphiQL asks for",
			func(s *Settings) *[]string { return &s.ConsoleScopes }),
		issuer("console_issuer", "the issuer that GraphiQL signs in at; the first of `auth_issuer` when it is not set",
			func(s *Settings) *string { return &s.ConsoleIssuer }),
		issuers("console_origins", "where the issuer has its endpoints, beyond its own origin",
			func(s *Settings) *[]string { return &s.ConsoleOrigins }),
		sandboxOn("trace", "whether clients may ask which calls an operation led to; in the sandbox on unless it is set",
			func(s *Settings) *string { return &s.Trace }),
		onOff("fast_path", "on", "whether answers are copied from the bytes that the APIs sent; off has gqlgen write them",
			func(s *Settings) *bool { return &s.FastPath }),
		duration("operation_timeout", 30*time.Second, MaxOperationTimeout, "for one operation; what has not arrived by then is an error of its field",
			func(s *Settings) *time.Duration { return &s.OperationTimeout }),
		duration("upstream_timeout", client.DefaultTimeout, MaxOperationTimeout, "for one call of an API, waiting for its turn included",
			func(s *Settings) *time.Duration { return &s.UpstreamTimeout }),
		duration("upstream_connect_timeout", client.DefaultConnectTimeout, MaxOperationTimeout, "for making a connection to an API: name resolution, TCP and TLS; then the call may be retried",
			func(s *Settings) *time.Duration { return &s.UpstreamConnectTimeout }),
		onOff("upstream_compression", "off", "whether the APIs are asked for gzip; it pays where the network to them is slow, and costs more processor time than the rest of a call",
			func(s *Settings) *bool { return &s.UpstreamCompression }),
		number("upstream_concurrency", client.DefaultConcurrency, mostCount, "calls under way per API",
			func(s *Settings) *int { return &s.UpstreamConcurrency }),
		count("upstream_retries", 1, mostRetries, "how many retries a call gets at most, when no answer came, or one that says to try again",
			func(s *Settings) *int { return &s.UpstreamRetries }),
		percent("upstream_breaker_percent", client.DefaultBreakerPercent, "of the calls to an API that must fail for its circuit breaker to open",
			func(s *Settings) *int { return &s.UpstreamBreakerPercent }),
		onOff("upstream_coalescing", "on", "whether the same call with the same token is made once while it is under way",
			func(s *Settings) *bool { return &s.UpstreamCoalescing }),
		origins("cors_origins", "the origins whose pages may use the gateway from a browser",
			func(s *Settings) *[]string { return &s.Origins }),
		onOff("persisted_automatic", "on", "whether clients may register documents by their hash (APQ)",
			func(s *Settings) *bool { return &s.Persisted.Automatic }),
		text("persisted_manifest", "a file of trusted documents",
			func(s *Settings) *string { return &s.Persisted.Manifest }),
		onOff("persisted_only", "off", "whether nothing but the documents of the manifest runs",
			func(s *Settings) *bool { return &s.Persisted.Only }),
		number("limits_connections", 10_000, mostCount, "connections of clients at a time; one more waits",
			func(s *Settings) *int { return &s.Connections }),
		number("limits_operations", 1000, mostCount, "operations that are served at a time, of which one caller gets three quarters; one more is refused with 503",
			func(s *Settings) *int { return &s.Operations }),
		number("limits_memory", 192<<20, mostMemory, "bytes that all requests hold at a time, of which one caller gets three quarters; what needs more is refused with OVERLOADED",
			func(s *Settings) *int64 { return &s.Memory }),
		number("limits_read", 32<<20, mostMemory, "bytes that one operation may read from the APIs, after decompression",
			func(s *Settings) *int64 { return &s.Bytes.Read }),
		number("limits_answer", 16<<20, mostBytes, "bytes of the data of one answer",
			func(s *Settings) *int64 { return &s.Bytes.Answer }),
		number("limits_body", transport.DefaultMaxBody, mostBytes, "bytes of a request's body",
			func(s *Settings) *int64 { return &s.MaxBody }),
		number("limits_depth", limits.DefaultDepth, mostNesting, "fields within each other, fragments expanded",
			func(s *Settings) *int { return &s.Limits.Depth }),
		number("limits_cost", limits.DefaultMaxCost, mostCount, "upstream calls that an operation may lead to, at worst",
			func(s *Settings) *int { return &s.Limits.MaxCost }),
		rate("rate_identity", "how many upstream calls a caller may cause per second",
			func(s *Settings) *float64 { return &s.Limits.Rate.PerIdentity.PerSecond }),
		number("rate_identity_burst", defaultBurst, mostCount, "how many of them at once",
			func(s *Settings) *int { return &s.Limits.Rate.PerIdentity.Burst }),
		rate("rate_address", "how many upstream calls a client address may cause per second",
			func(s *Settings) *float64 { return &s.Limits.Rate.PerAddress.PerSecond }),
		number("rate_address_burst", defaultBurst, mostCount, "how many of them at once",
			func(s *Settings) *int { return &s.Limits.Rate.PerAddress.Burst }),
		networks("rate_trusted_proxies", "the proxies whose X-Forwarded-For tells the client's address",
			func(s *Settings) *[]netip.Prefix { return &s.Limits.Rate.TrustedProxies }),
		pause("shutdown_delay", 5*time.Second, maxShutdown, "how long requests are still taken on SIGTERM, while readiness is off and balancers notice; over the sandbox not at all",
			func(s *Settings) *time.Duration { return &s.ShutdownDelay }),
		duration("shutdown_timeout", 15*time.Second, maxShutdown, "how long running operations may finish after that",
			func(s *Settings) *time.Duration { return &s.ShutdownTimeout }),
		onOff("profiling", "off", "whether Go's profiles are served on the admin address, at `/debug/pprof/`; heap profiles cost some processor time",
			func(s *Settings) *bool { return &s.Profiling }),
		choice("log_level", "info", "the least severe lines that are logged",
			[]string{"debug", "info", "warn", "error"}, func(s *Settings) *string { return &s.LogLevel }),
		number("log_one_in", 100, mostCount, "of so many operations without errors one is logged; those with errors always are",
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
