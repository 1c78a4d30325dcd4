package serve_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/serve"
	"pixgraph/test/gatewaytest"
)

// TestOutcomes: the outcome of an operation says whether the client, an API, or missing capacity is the cause of its
// errors.
func TestOutcomes(t *testing.T) {
	const (
		list, unknown = "{ deposits { totalCount } }", `withdrawal(id: "11111111-1111-4111-8111-111111111111") { id }`
		ok, ofClient  = serve.OutcomeOK, serve.OutcomeClient
		ofAPI         = serve.OutcomeUpstream
	)
	failing := func(status int) *sandbox.Fault { return &sandbox.Fault{Route: sandbox.RouteDeposit, Status: status} }
	hanging := &sandbox.Fault{Kind: sandbox.FaultHang}
	tests := []struct {
		name, document string
		fault          *sandbox.Fault
		change         func(*options)
		want           serve.Outcome
	}{
		{"a success", list, nil, nil, ok},
		{"a syntax error", "{", nil, nil, ofClient},
		{"an invalid document", "{ nothing }", nil, nil, ofClient},
		{"a limit", "{ " + strings.Repeat("a: deposits { page } ", 60) + "}", nil, nil, ofClient},
		{"invalid input", "{ deposits(perPage: 101) { totalCount } }", nil, nil, ofClient},
		{"an unknown record", "{ " + unknown + " }", nil, nil, ofClient},
		{"a page without settings", "{ deposits(page: 2) { totalCount } }", nil, func(o *options) { o.Upstream.PageParam = "" }, ofClient},
		{"401", list, failing(401), nil, ofClient},
		{"403", list, failing(403), nil, ofClient},
		{"422", list, failing(422), nil, ofClient},
		{"429", list, failing(429), nil, ofClient},
		{"a deadline of the client", list, hanging, func(o *options) { o.Serve.OperationTimeout = gatewaytest.Timeout }, ofClient},
		{"a timeout of an API", list, &sandbox.Fault{Kind: sandbox.FaultHang}, func(o *options) { o.Upstream.Timeout = time.Millisecond }, ofAPI},
		{"500", list, failing(500), nil, ofAPI},
		{"400", list, failing(400), nil, ofAPI},
		{"a reset", list, &sandbox.Fault{Kind: sandbox.FaultReset}, nil, ofAPI},
		{"an invalid response", list, &sandbox.Fault{Kind: sandbox.FaultEmpty}, nil, ofAPI},
		{"a partial response", "{ deposits { totalCount } withdrawals { totalCount } }", failing(500), nil, ofAPI},
		{"a failure and an unknown record", "{ deposits { totalCount } " + unknown + " }", failing(500), nil, ofAPI},
		{"no memory", "{ deposits(perPage: 100) { nodes { id } } }", nil, func(o *options) { o.Serve.MaxMemory = 150_000 }, serve.OutcomeOverloaded},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			o := &observer{}
			g := start(t, small, func(with *options) {
				with.Serve.Observer = o
				if tt.change != nil {
					tt.change(with)
				}
			})
			if tt.fault != nil {
				defer g.Box.Inject(*tt.fault)()
			}
			header := http.Header{}
			if tt.fault == hanging {
				header.Set(serve.HeaderTimeout, "1")
			}
			a := g.QueryWith(header, tt.document)
			o.mu.Lock()
			defer o.mu.Unlock()
			if len(o.seen) != 1 || o.seen[0].Outcome != tt.want {
				t.Errorf("got %+v, want %s: %s", o.seen, serve.Outcomes()[tt.want], a.Body)
			}
		})
	}
}
