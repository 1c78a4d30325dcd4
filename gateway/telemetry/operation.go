package telemetry

import (
	"cmp"
	"context"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"pixgraph/graph"
	"pixgraph/graph/pipeline"
)

// Labels of requests whose document has no operation, of operations without a name, and of clients that send no name.
const (
	none      = "none"
	anonymous = "anonymous"
	unknown   = "unknown"
)

// operation has the metrics of the operations with one name.
type operation struct {
	name     string
	outcomes []prometheus.Counter // by pipeline.Outcome
	duration prometheus.Observer
}

func newOperations(registry *prometheus.Registry) func(string) *operation {
	total := counters("pixgraph_operations_total", "Operations, by name and outcome: "+strings.Join(pipeline.Outcomes(), ", ")+".", "operation", "outcome")
	duration := seconds("pixgraph_operation_duration_seconds", "Duration of operations, until their response was complete.", "operation")
	registry.MustRegister(total, duration)
	return func(name string) *operation {
		o := &operation{name: name, duration: duration.WithLabelValues(name)}
		for _, outcome := range pipeline.Outcomes() {
			o.outcomes = append(o.outcomes, total.WithLabelValues(name, outcome))
		}
		return o
	}
}

// clientKey is the name and the version that a client sends.
type clientKey struct{ name, version string }

func newClients(registry *prometheus.Registry) func(clientKey) prometheus.Counter {
	total := counters("pixgraph_client_operations_total", "Operations, by the name and version that the client sends.", "client", "version")
	registry.MustRegister(total)
	return func(key clientKey) prometheus.Counter { return total.WithLabelValues(key.name, key.version) }
}

// batches has the numbers of records that a response fetched by id.
type batches struct {
	sizes  *prometheus.HistogramVec
	byNoun map[string]prometheus.Observer
}

func newBatches() batches {
	sizes := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "pixgraph_loader_batch_size", Help: "Records of a type that a response fetched by id, if any.",
		Buckets: []float64{1, 2, 5, 10, 20, 50, 100, 200},
	}, []string{"record"})
	b := batches{sizes, map[string]prometheus.Observer{}}
	for noun := range graph.NewLookups().Loads() {
		b.byNoun[noun] = sizes.WithLabelValues(noun)
	}
	return b
}

func (b *batches) observe(fetched []graph.Fetched) {
	for _, kind := range fetched {
		b.byNoun[kind.Noun].Observe(float64(kind.Records))
	}
}

// Begin implements pipeline.Observer.
func (m *Metrics) Begin(ctx context.Context, o pipeline.Operation) context.Context {
	m.running.Inc()
	if m.tracing != nil {
		return m.tracing.begin(ctx, o)
	}
	return ctx
}

// End implements pipeline.Observer. The name of an operation that did not run is not added to the labels, because a
// client can send any number of such names at no cost.
func (m *Metrics) End(ctx context.Context, o pipeline.Operation, r pipeline.Result) {
	if m.tracing != nil {
		m.tracing.end(ctx, r)
	}
	m.running.Dec()
	name := cmp.Or(o.Name, anonymous)
	if o.Type == "" {
		name = none
	}
	counted, _ := m.operations.seen(name)
	if r.Ran {
		counted = m.operations.of(name)
		counted.duration.Observe(r.Duration.Seconds())
		m.calls.Observe(float64(r.Calls))
		m.batches.observe(r.Fetched)
	}
	counted.outcomes[r.Outcome].Inc()
	for _, code := range r.Codes {
		m.errors.WithLabelValues(counted.name, code).Inc()
	}
	m.clients.of(clientKey{cmp.Or(r.Client.Name, unknown), cmp.Or(r.Client.Version, unknown)}).Inc()
	if r.Broken != (pipeline.Broken{}) {
		m.broken.WithLabelValues("core").Add(float64(r.Broken.Core))
		m.broken.WithLabelValues("dispatcher").Add(float64(r.Broken.Dispatcher))
	}
}
