package hostile

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	reading "pixgraph/internal/process"
)

// metric reads a metric of the gateway, by its name with its labels as they stand in the text.
func (g *gateway) metric(t *testing.T, name string) float64 {
	t.Helper()
	resp, err := g.client.Get("http://" + g.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	value, err := reading.Metric(string(text), name)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// running is the metric of the operations that run.
const running = "pixgraph_operations_in_flight"

// idle fails the test unless no operation runs any more, sooner or later.
func (g *gateway) idle(t *testing.T) {
	t.Helper()
	await(t, "operations still run", func() bool { return g.metric(t, running) == 0 })
}

// await fails the test unless a condition is met, sooner or later.
func await(t *testing.T, otherwise string, met func() bool) {
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
