package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"pixgraph/auth"
	"pixgraph/graph/pipeline"
	"pixgraph/upstream"
)

// Sources are what counts by itself, and is read when somebody scrapes. All are needed.
type Sources struct {
	Upstream func() []upstream.ServiceStats
	Auth     func() auth.Stats
	Gateway  func() pipeline.Stats
}

// Read has the metrics show what the sources count. It is called once.
func (m *Metrics) Read(sources Sources) { m.registry.MustRegister(sources) }

// read is a metric whose value a source knows.
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

// The metrics that are read.
var (
	breakerState = level("pixgraph_upstream_breaker_state", "1 for the state that the breaker is in: closed, open or half-open.", "service", "state")
	inFlight     = level("pixgraph_upstream_calls_in_flight", "Calls under way.", "service")
	waiting      = level("pixgraph_upstream_calls_waiting", "Calls that wait for their turn.", "service")
	retries      = total("pixgraph_upstream_retries_total", "Attempts after a call's first.", "service")
	shed         = total("pixgraph_upstream_shed_total", "Calls refused without being made.", "service")
	coalesced    = total("pixgraph_upstream_coalesced_total", "Calls answered by another call under way.", "service")

	loads         = total("pixgraph_loader_loads_total", "Records that were fetched by their id.", "record")
	joins         = total("pixgraph_loader_joins_total", "Wishes for a record that the same response had asked for already.", "record")
	rootFields    = total("pixgraph_root_fields_total", "Root fields, by who answered them: the fast path or gqlgen.", "path")
	unknownValues = total("pixgraph_unknown_enum_values_total", "Texts read that the spec does not list, by the enum.", "type")
	limitsHit     = total("pixgraph_limits_hit_total", "Requests refused or cut by a limit.", "limit")
	memoryHeld    = level("pixgraph_requests_memory_bytes", "Bytes that requests hold: their bodies, what they read from the APIs, their answers.")
	documentBytes = level("pixgraph_documents_bytes", "Bytes that parsed documents and their plans take, as estimated.")
	persistedDocs = total("pixgraph_persisted_documents_total", "Documents that requests named, by whether they are known.", "result")

	accepted    = total("pixgraph_tokens_accepted_total", "Requests with a good token.")
	refused     = total("pixgraph_tokens_refused_total", "Requests without a good token.", "reason")
	cacheHits   = total("pixgraph_token_cache_hits_total", "Requests whose token had been verified before.")
	cached      = level("pixgraph_tokens_cached", "Verified tokens that are remembered.")
	keyFetches  = total("pixgraph_jwks_fetches_total", "Attempts to fetch an issuer's keys.")
	keyFailures = total("pixgraph_jwks_fetch_failures_total", "Attempts to fetch an issuer's keys that failed.")
	issuers     = level("pixgraph_issuers", "Issuers whose tokens are taken.")
	issuersWarm = level("pixgraph_issuers_with_keys", "Issuers whose keys have been had.")
)

// breakerStates are the words of upstream.ServiceStats.
var breakerStates = [...]string{"closed", "open", "half-open"}

// Describe implements prometheus.Collector.
func (s Sources) Describe(descs chan<- *prometheus.Desc) {
	for _, metric := range []read{
		breakerState, inFlight, waiting, retries, shed, coalesced,
		loads, joins, rootFields, unknownValues, limitsHit, memoryHeld, documentBytes, persistedDocs,
		accepted, refused, cacheHits, cached, keyFetches, keyFailures, issuers, issuersWarm,
	} {
		descs <- metric.desc
	}
}

// Collect implements prometheus.Collector.
func (s Sources) Collect(metrics chan<- prometheus.Metric) {
	out := sink(metrics)
	for _, service := range s.Upstream() {
		out.service(service)
	}
	out.gateway(s.Gateway())
	out.auth(s.Auth())
}

// sink is where the metrics of a scrape go.
type sink chan<- prometheus.Metric

func put[N int | uint64](out sink, metric read, value N, labels ...string) {
	out <- prometheus.MustNewConstMetric(metric.desc, metric.kind, float64(value), labels...)
}

func (out sink) service(s upstream.ServiceStats) {
	name := string(s.Service)
	for _, state := range breakerStates {
		is := 0
		if s.Breaker == state {
			is = 1
		}
		put(out, breakerState, is, name, state)
	}
	put(out, inFlight, s.InFlight, name)
	put(out, waiting, s.Waiting, name)
	put(out, retries, s.Retries, name)
	put(out, shed, s.Shed, name)
	put(out, coalesced, s.Coalesced, name)
}

func (out sink) gateway(s pipeline.Stats) {
	for record, counted := range s.Loads {
		put(out, loads, counted.Fetched, record)
		put(out, joins, counted.Joined, record)
	}
	put(out, rootFields, s.FastFields, "fast")
	put(out, rootFields, s.ExecutorFields, "reference")
	for name, n := range s.UnknownValues {
		put(out, unknownValues, n, name)
	}
	for name, n := range s.LimitsHit {
		put(out, limitsHit, n, name)
	}
	put(out, memoryHeld, int(s.MemoryHeld))
	put(out, documentBytes, s.DocumentBytes)
	put(out, persistedDocs, s.Persisted.Hits, "hit")
	put(out, persistedDocs, s.Persisted.Misses, "miss")
}

func (out sink) auth(s auth.Stats) {
	put(out, accepted, s.Accepted)
	for reason, n := range s.Refused {
		put(out, refused, n, string(reason))
	}
	put(out, cacheHits, s.CacheHits)
	put(out, cached, s.CachedTokens)
	put(out, keyFetches, s.KeyFetches)
	put(out, keyFailures, s.KeyFailures)
	put(out, issuers, s.IssuersWanted)
	put(out, issuersWarm, s.IssuersWarm)
}
