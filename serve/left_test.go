package serve

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
)

// TestClientLeftIsNoFailure: what was not executed because the client has left is neither a bug nor an outcome for
// which the gateway is responsible.
func TestClientLeftIsNoFailure(t *testing.T) {
	var log strings.Builder
	p := presenter{log: slog.New(slog.NewTextHandler(&log, nil)), counts: &counters{}}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	shown := p.show(ctx, nil, fmt.Errorf("a field: %w", ctx.Err()))
	if outcome := outcomeOf(apierror.Of(shown)); outcome != OutcomeClient || log.Len() > 0 {
		t.Errorf("outcome %d, log %q", outcome, &log)
	}
	if result := resultOf(ctx, graph.ExecutionOf(ctx), nil, time.Second); result.Outcome != OutcomeClient || result.Codes != nil {
		t.Errorf("without a response: %+v", result)
	}
	if shown = p.show(t.Context(), nil, context.Canceled); apierror.Of(shown).Code != apierror.Internal || log.Len() == 0 {
		t.Errorf("while the client waits: %v", shown)
	}
	if result := resultOf(t.Context(), graph.ExecutionOf(ctx), nil, time.Second); result.Outcome != OutcomeGateway {
		t.Errorf("without a response, while the client waits: %+v", result)
	}
}
