package serve_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/live"
)

// stream is a subscription over SSE.
type stream struct {
	t    testing.TB
	body io.ReadCloser
	in   *bufio.Reader
}

// event is an event of a stream.
type event struct {
	kind string // next, complete, or "" for the end of the connection
	gatewaytest.Response
	Live struct {
		Reason, ObservedAt string
		NextPollMs         *int
		Final              bool
	}
}

// subscribe begins a subscription with a token.
func (g *gateway) subscribe(t testing.TB, token, document string, vars ...variables) *stream {
	t.Helper()
	resp := g.Within(t).OpenAs(token, "text/event-stream", document, vars...)
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		text, _ := io.ReadAll(resp.Body)
		t.Fatalf("status %d, %s", resp.StatusCode, text)
	}
	if got := resp.Header.Get("Incremental"); got != "?1" {
		t.Errorf("Incremental: %q", got)
	}
	return &stream{t, resp.Body, bufio.NewReader(resp.Body)}
}

// watchRecord begins a subscription to a transaction, and reads its first event.
func (g *gateway) watchRecord(t testing.TB, token, id string) *stream {
	t.Helper()
	s := g.subscribe(t, token, watchTransaction, variables{"id": id})
	s.want(live.Snapshot)
	return s
}

// next reads the next event of a subscription.
func (s *stream) next() event {
	s.t.Helper()
	e := s.event()
	if e.kind == "next" {
		var shown struct {
			Extensions struct{ Live json.RawMessage }
		}
		must(s.t, json.Unmarshal(e.Body, &shown))
		must(s.t, json.Unmarshal(shown.Extensions.Live, &e.Live))
	}
	return e
}

// event reads the next event. Comments are skipped.
func (s *stream) event() event {
	s.t.Helper()
	var e event
	var data []byte
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				s.t.Fatal(err)
			}
			return event{}
		}
		switch line = strings.TrimSuffix(line, "\n"); {
		case strings.HasPrefix(line, "event: "):
			e.kind = strings.TrimPrefix(line, "event: ")
		case strings.HasPrefix(line, "data:"):
			data = append(data, strings.TrimPrefix(strings.TrimPrefix(line, "data:"), " ")...)
		case line == "" && e.kind != "":
			e.T, e.Body = s.t, data
			if e.kind == "next" {
				must(s.t, json.Unmarshal(data, &e.Response))
			}
			return e
		}
	}
}

// want reads the next event and compares its reason.
func (s *stream) want(reason live.Reason) event {
	s.t.Helper()
	e := s.next()
	if e.Live.Reason != string(reason) {
		s.t.Fatalf("event %q %s, want %s", e.kind, e.Body, reason)
	}
	return e
}

func (s *stream) wantComplete() {
	s.t.Helper()
	if e := s.next(); e.kind != "complete" {
		s.t.Errorf("event %q %s, want complete", e.kind, e.Body)
	}
	if e := s.next(); e.kind != "" {
		s.t.Errorf("event %q %s after complete", e.kind, e.Body)
	}
}

// quick makes the reads of streams frequent.
func quick(o *options) { o.Serve.Live.Interval = 20 * time.Millisecond }

const watchTransaction = `subscription($id: ID!, $until: [TransactionStatus!]) { payment: transaction(id: $id, until: $until) { ...F } }
	fragment F on Transaction { id status amount payer { name } statusHistory { status } }`

// TestSubscriptionsRefused: a subscription that cannot begin is a plain response, and makes no call.
func TestSubscriptionsRefused(t *testing.T) {
	runWith(t, quick, func(_ *testing.T, g *gateway) {
		id := `"` + g.transactionIDs(1)[0] + `"`
		both := http.Header{"Accept": {"text/event-stream, application/json"}}
		plain := http.Header{"Accept": {"application/json"}}
		tests := []struct {
			name, document string
			header         http.Header
			code           string
		}{
			{"over JSON", `subscription { transaction(id: ` + id + `) { id } }`, plain, "BAD_REQUEST"},
			{"over multipart of another kind", `subscription { deposits { totalCount } }`, http.Header{"Accept": {"multipart/mixed"}}, "BAD_REQUEST"},
			{"two fields", `subscription { transaction(id: ` + id + `) { id } deposits { totalCount } }`, both, "GRAPHQL_VALIDATION_FAILED"},
			{"two aliases", `subscription { a: transaction(id: ` + id + `) { id } b: transaction(id: ` + id + `) { id } }`, both, "GRAPHQL_VALIDATION_FAILED"},
			{"two aliases in fragments", `subscription { ...A ... { b: deposits { totalCount } } }
				fragment A on Subscription { a: deposits { totalCount } }`, both, "GRAPHQL_VALIDATION_FAILED"},
			{"skipped", `subscription { deposits @skip(if: true) { totalCount } }`, both, "GRAPHQL_VALIDATION_FAILED"},
			{"included", `subscription { deposits @include(if: true) { totalCount } }`, both, "GRAPHQL_VALIDATION_FAILED"},
			{"in an included fragment", `subscription { ...A @include(if: true) }
				fragment A on Subscription { deposits { totalCount } }`, both, "GRAPHQL_VALIDATION_FAILED"},
			{"introspection", `subscription { __typename }`, both, "GRAPHQL_VALIDATION_FAILED"},
			{"no status to wait for", `subscription { transaction(id: ` + id + `, until: []) { id } }`, both, "BAD_USER_INPUT"},
			{"an unknown status", `subscription { transaction(id: ` + id + `, until: [PAID, UNKNOWN]) { id } }`, both, "BAD_USER_INPUT"},
			{"an invalid id", `subscription { transaction(id: "x") { id } }`, both, "BAD_USER_INPUT"},
			{"an invalid time", `subscription { transaction(id: ` + id + `, since: "yesterday") { id } }`, both, "BAD_USER_INPUT"},
			{"an invalid page", `subscription { deposits(page: 0) { totalCount } }`, both, "BAD_USER_INPUT"},
			{"an invalid filter", `subscription { withdrawals(filter: {id: "x"}) { totalCount } }`, both, "BAD_USER_INPUT"},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				r := g.QueryWith(tt.header, tt.document)
				if len(r.Errors) != 1 || r.Errors[0].Extensions["code"] != tt.code || r.Data != nil {
					t.Errorf("%d %s, want %s", r.Status, r.Body, tt.code)
				}
				g.WantNoCalls()
			})
		}
		g.row("without the scope", func(t testing.TB, g *gateway) {
			g.Box.ResetCalls()
			document := `subscription { notification(id: "` + g.Box.Ledger().Notifications()[0].ID + `") { id } }`
			g.Token = g.Box.Issuer().Mint(issuer.Grant{})
			if r := g.QueryWith(both, document); len(r.Errors) != 1 || r.Errors[0].Extensions["code"] != "FORBIDDEN" {
				t.Errorf("%d %s", r.Status, r.Body)
			}
			g.WantNoCalls()
		})
	})
}

// TestSubscriptionsShareCalls: streams of one token share reads, which end with the last stream.
func TestSubscriptionsShareCalls(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.Live.Interval = time.Hour }, func(t *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		g.Box.ResetCalls()
		var streams []*stream
		for range 20 {
			streams = append(streams, g.watchRecord(t, g.Token, id))
		}
		g.WantCalls(1, g.Token)
		if open := g.Handler.Live(); open.Streams != 20 || open.Watches != 1 || open.Cohorts != 1 {
			t.Errorf("%+v", open)
		}
		for _, s := range streams {
			_ = s.body.Close()
		}
		g.awaitStreams(0)
	})
}

// awaitStreams waits until so many streams are open.
func (g *gateway) awaitStreams(n int) {
	g.T.Helper()
	g.await(fmt.Sprint(n, " streams"), func() bool { return g.Handler.Live().Streams == n })
}

// TestSubscriptionsOfTwoCallers: each caller's stream reads with that caller's token only. The one that loses its right
// gets an error and no more data; the other one continues.
func TestSubscriptionsOfTwoCallers(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		id := g.Box.Samples().OpenTransaction
		other := g.Box.Issuer().Mint(issuer.Grant{Subject: "other"})
		mine, theirs := g.watchRecord(t, g.Token, id), g.watchRecord(t, other, id)
		g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Token: other, Status: http.StatusForbidden})
		g.Box.Ledger().Step()
		mine.want(live.Changed)
		lost := theirs.want(live.Failed)
		if !lost.Live.Final || lost.At("payment") != nil || lost.Errors[0].Extensions["code"] != "FORBIDDEN" {
			t.Errorf("%s", lost.Body)
		}
		theirs.wantComplete()
		g.awaitStreams(1)
		for _, call := range g.Box.Calls() {
			if bearer := call.Header.Get("Authorization"); bearer != "Bearer "+g.Token && bearer != "Bearer "+other {
				t.Error("a read with another token")
			}
		}
	})
}

// TestSubscriptionErrors: what a stream sends when the API does not answer as it should.
func TestSubscriptionErrors(t *testing.T) {
	tests := []struct {
		name  string
		fault sandbox.Fault
		code  string
		final bool
	}{
		{"not found", sandbox.Fault{Status: http.StatusNotFound}, "NOT_FOUND", true},
		{"unauthenticated", sandbox.Fault{Status: http.StatusUnauthorized}, "UNAUTHENTICATED", true},
		{"a server error", sandbox.Fault{Status: http.StatusInternalServerError}, "UPSTREAM_ERROR", false},
		{"too many calls", sandbox.Fault{Status: http.StatusTooManyRequests}, "RATE_LIMITED", false},
		{"no response", sandbox.Fault{Kind: sandbox.FaultReset}, "UPSTREAM_UNAVAILABLE", false},
		{"an invalid response", sandbox.Fault{Kind: sandbox.FaultBadJSON}, "UPSTREAM_INVALID_RESPONSE", false},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			g := start(t, small, quick)
			tt.fault.Service, tt.fault.Route = sandbox.Core, sandbox.RouteTransaction
			undo := g.Box.Inject(tt.fault)
			defer undo()
			s := g.subscribe(t, g.Token, watchTransaction, variables{"id": g.transactionIDs(1)[0]})
			reason := live.Stale
			if tt.final {
				reason = live.Failed
			}
			e := s.want(reason)
			err := e.Errors[0]
			if e.At("payment") != nil || err.Extensions["code"] != tt.code || err.Extensions["retryable"] == tt.final ||
				e.Live.Final != tt.final {
				t.Errorf("%s", e.Body)
			}
			if !samePath(err.Path, []any{"payment"}) {
				t.Errorf("the path is %v", err.Path)
			}
			if tt.final {
				s.wantComplete()
				return
			}
			undo()
			s.want(live.Snapshot)
		})
	}
}

func samePath(got, want []any) bool { return fmt.Sprint(got) == fmt.Sprint(want) }
