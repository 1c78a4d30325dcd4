package graph

import (
	"testing"
	"time"

	"pixgraph/graph/trace"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// TestTraceOfCoalesced: a coalesced call is in the trace, and is not counted as a call of the operation.
func TestTraceOfCoalesced(t *testing.T) {
	e := &Execution{Trace: trace.New()}
	e.End(t.Context(), client.Exchange{Service: upstream.Core, Route: "/deposit", Status: 200, Coalesced: true, Start: time.Now()})
	got := e.Trace.Trace(func(error) string { return "" })
	if len(got.Calls) != 1 || !got.Calls[0].Coalesced || got.Calls[0].Attempt != 0 || got.Calls[0].Route != "/deposit" {
		t.Errorf("%+v", got)
	}
	if e.Calls() != 0 {
		t.Errorf("%d calls", e.Calls())
	}
}
