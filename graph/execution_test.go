package graph

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/graph/trace"
	"pixgraph/internal/quota"
	"pixgraph/request"
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

// TestShareOfInventedTokens: in forward mode, all callers whose token no API has accepted have one share. Only the
// response of an API that has verified the token gives a caller a share of its own. The key of data is never shared.
func TestShareOfInventedTokens(t *testing.T) {
	authenticator, err := auth.New(auth.Config{Mode: auth.ModeForward})
	must(t, err)
	defer authenticator.Close()
	callOf := func(token string) *request.Call {
		identity, err := authenticator.Authenticate(&http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}})
		must(t, err)
		return &request.Call{Identity: identity}
	}
	for status, accepted := range map[int]bool{
		200: true, 404: true, 422: true, 0: false, 302: false, 400: false, 401: false, 403: false, 429: false, 500: false, 503: false,
	} {
		token := "token-" + strings.Repeat("x", status)
		e := &Execution{Call: callOf(token), loaders: loaders{lookups: NewLookups()}}
		if e.Call.Share() != quota.Common {
			t.Errorf("the share before a response with %d is its own", status)
		}
		e.End(t.Context(), client.Exchange{Service: upstream.Core, Status: status})
		if next := callOf(token); (next.Share() == next.Caller()) != accepted || next.Caller() == callOf("another").Caller() {
			t.Errorf("after a response with %d the share is its own: %t", status, !accepted)
		}
	}
	if other := callOf("another"); other.Share() != quota.Common {
		t.Error("the share of another token is its own")
	}
}
