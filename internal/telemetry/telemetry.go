// Package telemetry shows what the gateway does: metrics for Prometheus, and traces for OpenTelemetry. It is told of
// operations by package graph and of calls by package upstream, and reads what they and package auth count when somebody
// scrapes.
//
// It decides nothing, keeps nothing of an operation, and has no label whose values a client or an API can make without
// bound. Documents, variables, ids, tokens and data never get here.
//
// Read first: New, which has every metric that is counted here; sources.go has those that are read.
package telemetry

import (
	"net/http"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts what the gateway does. It is safe for concurrent use. It is a pipeline.Observer.
type Metrics struct {
	registry *prometheus.Registry

	requests *prometheus.CounterVec
	serving  prometheus.Gauge
	answers  *names[answerKey, prometheus.Counter]

	operations *names[string, *operation]
	errors     *prometheus.CounterVec
	clients    *names[clientKey, prometheus.Counter]
	running    prometheus.Gauge
	calls      prometheus.Histogram
	batches    batches
	broken     *prometheus.CounterVec

	exchanges *names[exchangeKey, *exchange]
	spans     *prometheus.CounterVec
}

// The bounds of labels whose values come from elsewhere. What comes later is "other".
const (
	maxOperations = 200 // names of operations: more than the clients of one product have
	maxClients    = 100 // names of clients with their versions: some products, at the versions that are in use
	maxExchanges  = 500 // routes with their statuses and outcomes: there are four routes, and as many statuses as are named
)

// latencies are the buckets of histograms of time, in seconds: from an answer that needs no call to the longest operation.
func latencies() []float64 {
	return []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
}

// New makes the metrics of one gateway, and those of its process.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("pixgraph_http_requests_total", "Requests answered, by path and status.", "path", "status"),
		serving:  gauge("pixgraph_http_requests_in_flight", "Requests that are being answered."),
		errors:   counters("pixgraph_operation_errors_total", "Operations with an error of a code, once for each code.", "operation", "code"),
		running:  gauge("pixgraph_operations_in_flight", "Operations that run."),
		calls: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "pixgraph_operation_upstream_calls", Help: "Calls of the APIs that an operation led to.",
			Buckets: []float64{0, 1, 2, 5, 10, 20, 50, 100, 200, 500},
		}),
		broken:  counters("pixgraph_bad_records_total", "Nulls in answers for what an API sent and should not have.", "service"),
		batches: newBatches(),
		spans:   counters("pixgraph_trace_spans_total", "Spans, by what became of them: sent to the collector of traces, lost on the way, or dropped because too many waited.", "outcome"),
	}
	m.registry.MustRegister(
		m.requests, m.serving, m.errors, m.running, m.calls, m.batches.sizes, m.broken, m.spans,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build(),
	)
	m.spans.WithLabelValues(spansSent)
	m.spans.WithLabelValues(spansLost)
	m.spans.WithLabelValues(spansDropped)
	m.broken.WithLabelValues("core")
	m.broken.WithLabelValues("dispatcher")
	m.answers = newNames(maxExchanges, answerKey{other, other}, m.newAnswers)
	m.operations = newNames(maxOperations, other, newOperations(m.registry))
	m.operations.of(anonymous) // these two always have a place
	m.operations.of(none)
	m.clients = newNames(maxClients, clientKey{other, other}, newClients(m.registry))
	m.exchanges = newNames(maxExchanges, exchangeKey{other, other, other, other}, newExchanges(m.registry))
	return m
}

// Handler serves the metrics in Prometheus's text format, or in OpenMetrics where that is asked for.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true, ErrorHandling: promhttp.ContinueOnError})
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

// build tells which build runs, as a gauge that is always 1.
func build() prometheus.Collector {
	labels := prometheus.Labels{"version": "unknown", "revision": "unknown", "goversion": "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		labels["version"], labels["goversion"] = info.Main.Version, info.GoVersion
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				labels["revision"] = setting.Value
			}
		}
	}
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "pixgraph_build_info", Help: "The build that runs.", ConstLabels: labels,
	}, func() float64 { return 1 })
}
