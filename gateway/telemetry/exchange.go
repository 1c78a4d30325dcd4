package telemetry

import (
	"context"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// exchangeKey identifies a group of exchanges.
type exchangeKey struct{ service, route, status, outcome string }

// exchange has the metrics of the exchanges with one key.
type exchange struct {
	total          prometheus.Counter
	duration, wait prometheus.Observer
	bytes          prometheus.Counter
}

func newExchanges(registry *prometheus.Registry) func(exchangeKey) *exchange {
	total := counters("pixgraph_upstream_calls_total",
		"Requests to the APIs, one per attempt, by status (none without a response) and outcome.", "service", "route", "status", "outcome")
	duration := seconds("pixgraph_upstream_call_duration_seconds", "Duration of requests to the APIs, including the bodies of responses.", "service", "route")
	wait := seconds("pixgraph_upstream_call_wait_seconds", "Time that requests to the APIs waited in a queue.", "service")
	bytes := counters("pixgraph_upstream_response_bytes_total", "Bytes of response bodies from the APIs, after decompression.", "service", "route")
	registry.MustRegister(total, duration, wait, bytes)
	return func(key exchangeKey) *exchange {
		return &exchange{
			total:    total.WithLabelValues(key.service, key.route, key.status, key.outcome),
			duration: duration.WithLabelValues(key.service, key.route), wait: wait.WithLabelValues(key.service),
			bytes: bytes.WithLabelValues(key.service, key.route),
		}
	}
}

// Calls returns the observer of calls.
func (m *Metrics) Calls() client.Observer { return calls{m} }

// calls counts the calls of all operations, and has their spans created.
type calls struct{ *Metrics }

// Begin implements client.Observer.
func (c calls) Begin(ctx context.Context, header client.Header) (context.Context, client.Header) {
	if c.tracing != nil {
		return c.tracing.beginCall(ctx, header)
	}
	return ctx, header
}

// End implements client.Observer.
func (c calls) End(ctx context.Context, e client.Exchange) {
	if c.tracing != nil {
		c.tracing.endCall(ctx, e)
	}
	if e.Coalesced {
		return // the operation that made the call counts it
	}
	counted := c.exchanges.of(exchangeKey{string(e.Service), e.Route, statusOf(e.Status), outcomeOf(e.Err)})
	counted.total.Inc()
	counted.duration.Observe(e.Duration.Seconds())
	counted.wait.Observe(e.Waited.Seconds())
	counted.bytes.Add(float64(e.Bytes))
}

// statusOf is the label of a status: the number of a status that the spec or proxies use, otherwise its class.
func statusOf(status int) string {
	switch status {
	case 0:
		return "none"
	case 200:
		return "200"
	case 401, 403, 404, 422, 429, 500, 502, 503, 504:
		return strconv.Itoa(status)
	default:
		return strconv.Itoa(status/100) + "xx"
	}
}

// outcomeOf is the kind of an error as one word.
func outcomeOf(err error) string {
	if err == nil {
		return "ok"
	}
	return strings.ReplaceAll(upstream.KindOf(err).String(), " ", "_")
}
