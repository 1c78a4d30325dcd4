// Package telemetry exports metrics for Prometheus and traces for OpenTelemetry. Package serve notifies it of
// operations and package client of calls. At each scrape it also reads the counters of these packages and of package
// auth.
//
// It decides nothing and stores nothing of an operation. The number of values of each label is bounded, whatever a
// client or an API sends. Documents, variables, ids, tokens and data never reach this package.
//
// Read first: New, which has every metric that this package counts; sources.go has those that it reads from other
// packages.
package telemetry

import (
	"net/http"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"pixgraph/internal/distinct"
)

// Metrics counts operations, calls and requests, and has spans created for them if there is tracing. It is safe for
// concurrent use. It is a serve.Observer.
type Metrics struct {
	registry *prometheus.Registry

	requests  *prometheus.CounterVec
	serving   prometheus.Gauge
	responses *series[responseKey, prometheus.Counter]

	operations *callerNames[string, *operation]
	clients    *callerNames[clientKey, clientOperations]
	answered   *distinct.Callers  // whose operations succeed and do not
	faults     *distinct.Callers  // whose operations fail because of an API or the gateway, and do not
	internal   prometheus.Counter // errors of the gateway itself
	running    prometheus.Gauge
	calls      prometheus.Histogram
	batches    batches
	broken     *prometheus.CounterVec

	exchanges *series[exchangeKey, *exchange]
	spans     *prometheus.CounterVec
	tracing   *Tracing // nil without tracing
}

// The limits of labels whose values come from clients. Further values are "other".
const (
	maxOperations = 200 // names of operations: more than the clients of one product use
	maxClients    = 100 // names and versions of clients: some products, with the versions in use
)

// latencies are the buckets of duration histograms, in seconds: from a response without calls to the longest operation.
func latencies() []float64 {
	return []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
}

// New creates the metrics of one gateway and of its process.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("pixgraph_http_requests_total", "Requests served, by path and status.", "path", "status"),
		serving:  gauge("pixgraph_http_requests_in_flight", "Requests being served."),
		running:  gauge("pixgraph_operations_in_flight", "Running operations."),
		answered: distinct.New(), faults: distinct.New(),
		internal: prometheus.NewCounter(prometheus.CounterOpts{Name: "pixgraph_internal_errors_total", Help: "Operations with INTERNAL, and responses with 500: some count as both."}),
		calls: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "pixgraph_operation_upstream_calls", Help: "Calls to the APIs per operation.",
			Buckets: []float64{0, 1, 2, 5, 10, 20, 50, 100, 200, 500},
		}),
		broken:  counters("pixgraph_bad_records_total", "Nulls in responses due to invalid data from an API.", "service"),
		batches: newBatches(),
		spans: counters("pixgraph_trace_spans_total",
			"Spans, by outcome: sent to the collector, lost on the way, or dropped because too many were waiting.", "outcome"),
	}
	m.registry.MustRegister(
		m.requests, m.serving, m.running, m.internal, clock(), operationCallers{m}, m.calls, m.batches.sizes, m.broken, m.spans,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build(),
	)
	m.spans.WithLabelValues(spansSent)
	m.spans.WithLabelValues(spansLost)
	m.spans.WithLabelValues(spansDropped)
	m.broken.WithLabelValues("core")
	m.broken.WithLabelValues("dispatcher")
	m.responses = newSeries(m.newResponses)
	m.operations = newOperations(m.registry)
	m.clients = newClients(m.registry)
	m.exchanges = newSeries(newExchanges(m.registry))
	return m
}

// Handler serves the metrics in Prometheus's text format, or in OpenMetrics if the request accepts it.
// Names that were not used for forgetAfter are removed before.
func (m *Metrics) Handler() http.Handler {
	serve := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true, ErrorHandling: promhttp.ContinueOnError})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.operations.forget()
		m.clients.forget()
		serve.ServeHTTP(w, r)
	})
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
}

func seconds(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: latencies()}, labels)
}

// Build is how the running binary was built, as far as it is known.
type Build struct{ Version, Revision, Go, OS, Arch string }

// ReadBuild reads what the Go command wrote into the binary. The version is the tag of the commit, or is derived from
// the tag before it.
func ReadBuild() Build {
	b := Build{"unknown", "unknown", runtime.Version(), runtime.GOOS, runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = info.Main.Version
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				b.Revision = setting.Value
			}
		}
	}
	return b
}

// build is a gauge that is always 1, with the build in its labels.
func build() prometheus.Collector {
	b := ReadBuild()
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "pixgraph_build_info", Help: "The running build.",
		ConstLabels: prometheus.Labels{"version": b.Version, "revision": b.Revision, "goversion": b.Go, "goos": b.OS, "goarch": b.Arch},
	}, func() float64 { return 1 })
}
