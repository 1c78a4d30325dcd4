package telemetry

import (
	"cmp"
	"context"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"pixgraph/graph"
	"pixgraph/request"
	"pixgraph/serve"
)

// Labels of requests whose document has no operation, of operations without a name, and of clients that send no name.
const (
	none      = "none"
	anonymous = "anonymous"
	unknown   = "unknown"
)

// operation has the metrics of the operations with one name.
type operation struct {
	outcomes []prometheus.Counter // by serve.Outcome
	duration prometheus.Observer
	errors   func(code string) prometheus.Counter
}

func newOperations(registry *prometheus.Registry) *callerNames[string, *operation] {
	total := counters("pixgraph_operations_total", "Operations, by name and outcome: "+strings.Join(serve.Outcomes(), ", ")+".", "operation", "outcome")
	duration := seconds("pixgraph_operation_duration_seconds", "Duration of operations, until their response was complete.", "operation")
	errors := counters("pixgraph_operation_errors_total", "Operations with errors, counted once for each code.", "operation", "code")
	registry.MustRegister(total, duration, errors)
	create := func(name string) *operation {
		o := &operation{duration: duration.WithLabelValues(name)}
		o.errors = func(code string) prometheus.Counter { return errors.WithLabelValues(name, code) }
		for _, outcome := range serve.Outcomes() {
			o.outcomes = append(o.outcomes, total.WithLabelValues(name, outcome))
		}
		return o
	}
	remove := func(name string) {
		label := prometheus.Labels{"operation": name}
		total.DeletePartialMatch(label)
		duration.DeletePartialMatch(label)
		errors.DeletePartialMatch(label)
	}
	return newCallerNames(maxOperations, other, create, remove, anonymous, none)
}

// clientKey is the name and the version that a client sends.
type clientKey struct{ name, version string }

// clientOperations has the metrics of the operations of one client.
type clientOperations struct{ total, untrusted, deprecated prometheus.Counter }

func newClients(registry *prometheus.Registry) *callerNames[clientKey, clientOperations] {
	total := counters("pixgraph_client_operations_total", "Operations, by the name and version that the client sends.", "client", "version")
	untrusted := counters("pixgraph_client_untrusted_total", "Operations that persisted_only=on would reject, with persisted_only=report.", "client", "version")
	deprecated := counters("pixgraph_client_deprecated_total", "Operations with deprecated fields.", "client", "version")
	registry.MustRegister(total, untrusted, deprecated)
	create := func(key clientKey) clientOperations {
		of := func(counter *prometheus.CounterVec) prometheus.Counter {
			return counter.WithLabelValues(key.name, key.version)
		}
		return clientOperations{of(total), of(untrusted), of(deprecated)}
	}
	remove := func(key clientKey) {
		for _, counter := range []*prometheus.CounterVec{total, untrusted, deprecated} {
			counter.DeleteLabelValues(key.name, key.version)
		}
	}
	return newCallerNames(maxClients, clientKey{other, other}, create, remove)
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

// Begin implements serve.Observer.
func (m *Metrics) Begin(ctx context.Context, o serve.Operation) context.Context {
	m.running.Inc()
	if m.tracing != nil {
		return m.tracing.begin(ctx, o)
	}
	return ctx
}

// End implements serve.Observer. The name of an operation that did not run is not added to the labels, because a
// client can send any number of such names at no cost.
func (m *Metrics) End(ctx context.Context, o serve.Operation, r serve.Result) {
	if m.tracing != nil {
		m.tracing.end(ctx, r)
	}
	m.running.Dec()
	name := cmp.Or(o.Name, anonymous)
	if o.Type == "" {
		name = none
	}
	caller := request.CallOf(ctx).Share()
	m.answered.Add(caller, r.Outcome == serve.OutcomeOK)
	m.faults.Add(caller, r.Outcome < serve.OutcomeUpstream)
	if r.Outcome == serve.OutcomeGateway {
		m.internal.Inc()
	}
	m.operations.use(name, caller, r.Ran, func(counted *operation) {
		if r.Ran {
			counted.duration.Observe(r.Duration.Seconds())
		}
		counted.outcomes[r.Outcome].Inc()
		for _, code := range r.Codes {
			counted.errors(code).Inc()
		}
	})
	if r.Ran {
		m.calls.Observe(float64(r.Calls))
		m.batches.observe(r.Fetched)
	}
	client := clientKey{cmp.Or(r.Client.Name, unknown), cmp.Or(r.Client.Version, unknown)}
	m.clients.use(client, caller, true, func(counted clientOperations) {
		counted.total.Inc()
		if r.Untrusted {
			counted.untrusted.Inc()
		}
		if r.Deprecated {
			counted.deprecated.Inc()
		}
	})
	if r.Broken != (serve.Broken{}) {
		m.broken.WithLabelValues("core").Add(float64(r.Broken.Core))
		m.broken.WithLabelValues("dispatcher").Add(float64(r.Broken.Dispatcher))
	}
}
