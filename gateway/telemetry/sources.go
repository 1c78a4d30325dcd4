package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pixgraph/auth"
	"pixgraph/fleet"
	"pixgraph/serve"
	"pixgraph/upstream/client"
)

// Sources are counters of other packages, read at each scrape. All but Fleet are required.
type Sources struct {
	Upstream func() []client.ServiceStats
	Auth     func() auth.Stats
	Gateway  func() serve.Stats
	// Connections returns the counters of the connections of clients.
	Connections func() Connections
	// Certificates returns when the gateway's own certificates expire, by setting.
	Certificates func() map[string]time.Time
	// Fleet returns the counters of Redis; nil without it.
	Fleet func() fleet.Stats
}

// Connections counts the connections of clients: those that are open, and those that were closed at once because their
// address had its share.
type Connections struct {
	Open, Limit int
	Refused     uint64
}

// Read exports the counters of the sources. It must be called only once.
func (m *Metrics) Read(sources Sources) { m.registry.MustRegister(sources) }

// read is a metric whose value comes from a source.
type read struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func total(name, help string, labels ...string) read {
	return read{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue}
}

func level(name, help string, labels ...string) read {
	return read{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue}
}

// The metrics that are read from sources.
var (
	connections      = level("pixgraph_connections", "Connections of clients.")
	connectionsLimit = level("pixgraph_connections_limit", "The most connections of clients.")
	refusedClients   = total("pixgraph_connections_refused_total", "Connections that were closed because their address had its share.")

	breakerState = level("pixgraph_upstream_breaker_state", "1 for the current state of the circuit breaker: closed, open or half-open.", "service", "state")
	inFlight     = level("pixgraph_upstream_calls_in_flight", "Calls under way.", "service")
	waiting      = level("pixgraph_upstream_calls_waiting", "Calls that wait in the queue.", "service")
	retries      = total("pixgraph_upstream_retries_total", "Attempts of calls after the first.", "service")
	shed         = total("pixgraph_upstream_shed_total", "Calls rejected without a request to the API.", "service")
	coalesced    = total("pixgraph_upstream_coalesced_total", "Calls that shared the response of another call, which waited to be sent.", "service")

	loads         = total("pixgraph_loader_loads_total", "Records fetched by id.", "record")
	joins         = total("pixgraph_loader_joins_total", "Loads of a record that the same response had already requested.", "record")
	unknownValues = total("pixgraph_unknown_enum_values_total", "Values that the spec does not list, by enum.", "type")
	limitsHit     = total("pixgraph_limits_hit_total", "Requests refused or truncated by a limit.", "limit")
	memoryHeld    = level("pixgraph_requests_memory_bytes", "Bytes held by requests: their bodies, data from the APIs, their responses.")
	documentBytes = level("pixgraph_documents_bytes", "Estimated bytes of parsed documents and their plans.")
	persistedDocs = total("pixgraph_persisted_documents_total", "Lookups of persisted documents, by result.", "result")

	liveStreams = level("pixgraph_live_streams", "Streams, by protocol.", "protocol")
	liveLimits  = level("pixgraph_live_limit", "The most streams, and the most reads for streams per second.", "kind")
	liveSizes   = level("pixgraph_live_shared", "What streams share: records, watches (a record and a token), cohorts (a watch and an answer).", "kind")
	liveBytes   = level("pixgraph_live_memory_bytes", "Bytes that streams hold.")
	liveReads   = total("pixgraph_live_reads_total", "Reads for streams, by result: ok, failed, or postponed by a rate limit.", "result")
	liveEvents  = total("pixgraph_live_events_total", "Events sent to streams.", "reason")
	liveEnds    = total("pixgraph_live_ends_total", "Streams that ended.", "reason")

	callers = level("pixgraph_callers",
		"Callers of the last minutes: all, those with a failed call, and those without success, whose tokens an API refuses with 401 and 403.", "service", "result")

	accepted     = total("pixgraph_tokens_accepted_total", "Requests with a valid token.", "issuer")
	unavailable  = total("pixgraph_tokens_unavailable_total", "Requests whose token could not be verified, because its issuer's keys were unavailable.", "issuer")
	addresses    = level("pixgraph_token_addresses", "Addresses of clients of the last minutes: all, and those without success, whose tokens are invalid.", "result")
	tokenCallers = level("pixgraph_token_callers", "Callers of the last minutes with tokens of an issuer: all, and those without success, whose tokens are for another audience.", "issuer", "result")
	refused      = total("pixgraph_tokens_refused_total", "Requests without a valid token.", "reason")
	cacheHits    = total("pixgraph_token_cache_hits_total", "Requests whose token was in the cache.")
	cached       = level("pixgraph_tokens_cached", "Verified tokens in the cache.")
	keyFetches   = total("pixgraph_jwks_fetches_total", "Attempts to fetch an issuer's keys.", "issuer")
	keyFailures  = total("pixgraph_jwks_fetch_failures_total", "Attempts to fetch an issuer's keys that failed.", "issuer")
	keyState     = level("pixgraph_issuer_keys", "1 for the current state of an issuer's keys: fresh, stale if the last fetch failed, missing if none succeeded.", "issuer", "state")
	expiries     = level("pixgraph_certificate_not_after_timestamp_seconds", "When a certificate of the gateway expires, by its setting.", "setting")
)

// breakerStates are the states in client.ServiceStats, keyStates those in auth.IssuerStats.
var (
	breakerStates = []string{"closed", "open", "half-open"}
	keyStates     = []string{"fresh", "stale", "missing"}
)

// Describe implements prometheus.Collector. Without descriptions, the registry checks the metrics at each scrape.
func (s Sources) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (s Sources) Collect(metrics chan<- prometheus.Metric) {
	out := sink(metrics)
	tokens := s.Auth()
	for _, service := range s.Upstream() {
		out.service(service)
		if len(tokens.Issuers) > 0 { // in forward mode an expired token reaches the APIs
			put(out, callers, service.CallersRefused, string(service.Service), "unsuccessful")
		}
	}
	gateway := s.Gateway()
	out.gateway(gateway)
	out.live(gateway)
	out.auth(tokens)
	clients := s.Connections()
	put(out, connections, clients.Open)
	put(out, connectionsLimit, clients.Limit)
	put(out, refusedClients, clients.Refused)
	for setting, until := range s.Certificates() {
		put(out, expiries, int(until.Unix()), setting)
	}
	if s.Fleet != nil {
		out.fleet(s.Fleet())
	}
}

// sink receives the metrics of a scrape.
type sink chan<- prometheus.Metric

func put[N int | uint64](out sink, metric read, value N, labels ...string) {
	out <- prometheus.MustNewConstMetric(metric.desc, metric.kind, float64(value), labels...)
}

// putEach puts a value for each value of a label.
func putEach[K ~string, N int | uint64](out sink, metric read, values map[K]N) {
	for label, value := range values {
		put(out, metric, value, string(label))
	}
}

// state puts 1 for the current state and 0 for the others.
func (out sink) state(metric read, name string, states []string, current string) {
	for _, state := range states {
		is := 0
		if state == current {
			is = 1
		}
		put(out, metric, is, name, state)
	}
}

func (out sink) service(s client.ServiceStats) {
	name := string(s.Service)
	out.state(breakerState, name, breakerStates, s.Breaker)
	put(out, callers, s.Callers, name, "all")
	put(out, callers, s.CallersFailed, name, "failed")
	put(out, inFlight, s.InFlight, name)
	put(out, waiting, s.Waiting, name)
	put(out, retries, s.Retries, name)
	put(out, shed, s.Shed, name)
	put(out, coalesced, s.Coalesced, name)
}

func (out sink) gateway(s serve.Stats) {
	for record, counted := range s.Loads {
		put(out, loads, counted.Fetched, record)
		put(out, joins, counted.Joined, record)
	}
	putEach(out, unknownValues, s.UnknownValues)
	putEach(out, limitsHit, s.LimitsHit)
	put(out, memoryHeld, int(s.MemoryHeld))
	put(out, documentBytes, s.DocumentBytes)
	put(out, persistedDocs, s.Persisted.Hits, "hit")
	put(out, persistedDocs, s.Persisted.Misses, "miss")
	put(out, addresses, s.Addresses, "all")
	put(out, addresses, s.AddressesRefused, "unsuccessful")
}

func (out sink) live(s serve.Stats) {
	putEach(out, liveStreams, s.Protocols)
	put(out, liveLimits, s.MaxStreams, "streams")
	put(out, liveLimits, s.MaxReads, "reads")
	put(out, liveSizes, s.Live.Records, "records")
	put(out, liveSizes, s.Live.Watches, "watches")
	put(out, liveSizes, s.Live.Cohorts, "cohorts")
	put(out, liveBytes, s.StreamBytes)
	put(out, liveReads, s.Live.Reads, "ok")
	put(out, liveReads, s.Live.Failed, "failed")
	put(out, liveReads, s.Live.Postponed, "postponed")
	putEach(out, liveEvents, s.Live.Events)
	putEach(out, liveEnds, s.Live.Ends)
	s.Live.Latency.Collect(out)
}

func (out sink) auth(s auth.Stats) {
	if len(s.Issuers) == 0 {
		put(out, accepted, s.Forwarded, "")
	}
	for issuer, i := range s.Issuers {
		put(out, accepted, i.Accepted, issuer)
		put(out, unavailable, i.Unavailable, issuer)
		put(out, tokenCallers, i.Callers, issuer, "all")
		put(out, tokenCallers, i.CallersRefused, issuer, "unsuccessful")
		put(out, keyFetches, i.KeyFetches, issuer)
		put(out, keyFailures, i.KeyFailures, issuer)
		out.state(keyState, issuer, keyStates, i.Keys)
	}
	putEach(out, refused, s.Refused)
	put(out, cacheHits, s.CacheHits)
	put(out, cached, s.CachedTokens)
}
