package hostile

import (
	"context"
	"testing"
	"time"
)

// metric reads a metric of the gateway, by its name including the labels.
func (g *gateway) metric(t *testing.T, name string) float64 {
	t.Helper()
	value, err := g.Metric(t.Context(), name)
	must(t, err)
	return value
}

// running is the metric of running operations.
const running = "pixgraph_operations_in_flight"

// wantNoOperations fails the test if operations still run after a timeout.
func (g *gateway) wantNoOperations(t *testing.T) {
	t.Helper()
	await(t, "operations still run", func() bool { return g.metric(t, running) == 0 })
}

// await fails the test if a condition is not met before the timeout of a step.
func await(t *testing.T, otherwise string, met func() bool) {
	t.Helper()
	awaitWithin(t, timeout, otherwise, met)
}

// awaitWithin fails the test if a condition is not met in time.
func awaitWithin(t *testing.T, patience time.Duration, otherwise string, met func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !met() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal(otherwise)
		}
	}
}
