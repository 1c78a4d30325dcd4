package serve_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/upstream/live"
)

// TestStreamNegotiation: SSE is chosen where multipart is accepted too, and queries are JSON where JSON is accepted.
func TestStreamNegotiation(t *testing.T) {
	runWith(t, quick, func(_ *testing.T, g *gateway) {
		const page = `{ deposits(page: 0) { totalCount } }`
		const json, sse, multipart = "application/json", "text/event-stream", "multipart/mixed"
		const urql = "application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed"
		tests := []struct{ name, document, accept, contentType string }{
			{"a query of urql", page, urql, "application/graphql-response+json"},
			{"a query, with a stream first", page, "text/event-stream, application/json;q=0.1", json},
			{"a subscription of urql", "subscription " + page, "text/event-stream, multipart/mixed", sse},
			{"both", "subscription " + page, `multipart/mixed;subscriptionSpec=1.0, text/event-stream;q=0.1`, sse},
			{"multipart", "subscription " + page, `multipart/mixed;boundary=graphql;subscriptionSpec=1.0`, multipart},
			{"SSE refused", "subscription " + page, `text/event-stream;q=0, multipart/mixed;subscriptionSpec="1.0"`, multipart},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				r := g.QueryWith(http.Header{"Accept": {tt.accept}}, tt.document)
				if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, tt.contentType) {
					t.Errorf("%d %s %s, want %s", r.Status, got, r.Body, tt.contentType)
				}
			})
		}
	})
}

// TestStreamOfAnotherSpec: a subscription by another version of the multipart protocol is refused, and not served by
// the one that the gateway speaks.
func TestStreamOfAnotherSpec(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		const document = "subscription { deposits { totalCount } }"
		for accept, want := range map[string]int{
			`multipart/mixed;subscriptionSpec="2.0"`:                                                   http.StatusNotAcceptable,
			`multipart/mixed;subscriptionSpec`:                                                         http.StatusNotAcceptable,
			`multipart/mixed;xsubscriptionSpec="1.0"`:                                                  http.StatusNotAcceptable,
			`multipart/mixed;boundary=graphql;subscriptionSpec=1.1, application/graphql-response+json`: http.StatusBadRequest,
		} {
			r := g.QueryWith(http.Header{"Accept": {accept}}, document)
			if r.Status != want || !strings.Contains(string(r.Body), "BAD_REQUEST") {
				t.Errorf("%s: %d %s, want %d", accept, r.Status, r.Body, want)
			}
		}
	})
}

// TestResponseAsStream: a client that accepts a stream only gets the response of a query, and a rejection without an
// HTTP status of its own, as one event.
func TestResponseAsStream(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		requestID := regexp.MustCompile(`"requestId":"[0-9a-f]*"`)
		same := func(body []byte) string { return requestID.ReplaceAllString(string(body), "") }
		for _, document := range []string{
			`{ deposits(perPage: 2) { nodes { id } } }`, `{ deposits(page: 0) { totalCount } }`, `{ unknown }`, `subscription { deposits(page: 0) { totalCount } }`,
		} {
			want := same(g.QueryWith(http.Header{"Accept": {"text/event-stream, application/json"}}, document).Body)
			s := g.subscribe(t, g.Token, document)
			if e := s.event(); e.kind != "next" || same(e.Body) != want {
				t.Errorf("%s: %q %s, want %s", document, e.kind, e.Body, want)
			}
			s.wantComplete()
			r := g.QueryWith(http.Header{"Accept": {`multipart/mixed;subscriptionSpec="1.0"`}}, document)
			const part = "--graphql\r\ncontent-type: application/json\r\n\r\n"
			if got := same(r.Body); r.Status != http.StatusOK || got != part+`{"payload":`+want+"}\r\n--graphql--\r\n" {
				t.Errorf("%s: %d %q", document, r.Status, got)
			}
		}
		r := g.QueryWith(http.Header{"Accept": {"text/event-stream"}}, `{ a: deposits(`)
		if r.Status != http.StatusOK || !strings.HasPrefix(string(r.Body), ":\n\nevent: next\ndata: {\"errors\":") {
			t.Errorf("%d %s", r.Status, r.Body)
		}
		if r := g.QueryWith(http.Header{"Accept": {"text/event-stream"}, "Authorization": {"Bearer none"}}, `{ unknown }`); r.Status != http.StatusUnauthorized {
			t.Errorf("%d %s", r.Status, r.Body)
		}
	})
}

// TestSubscriptionExpires: a stream ends with its token, without the sign that it is complete, so that clients begin it
// again.
func TestSubscriptionExpires(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		short := g.Box.Issuer().Mint(issuer.Grant{Subject: "short", TTL: 10 * time.Second})
		s := g.watchRecord(t, short, id)
		e := s.want(live.Failed)
		if e.Errors[0].Extensions["code"] != "UNAUTHENTICATED" || e.Live.Final || e.Live.NextPollMs != nil {
			t.Errorf("%s", e.Body)
		}
		// The body ends as HTTP defines, because a browser would discard the event otherwise.
		if rest, err := io.ReadAll(s.in); err != nil || len(rest) > 0 {
			t.Errorf("%q after the end, and %v", rest, err)
		}
		// The leeway of authentication still accepts it for queries.
		g.Token = short
		r := g.QueryWith(http.Header{"Accept": {"text/event-stream"}}, watchTransaction, variables{"id": id})
		if r.Status != http.StatusUnauthorized || !strings.Contains(r.Header.Get("WWW-Authenticate"), "invalid_token") {
			t.Errorf("%d %s", r.Status, r.Body)
		}
	})
}

// TestAPIRejectsExpiringToken: an API whose clock is ahead rejects a token before it expires here. That ends the stream
// as its expiry does.
func TestAPIRejectsExpiringToken(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		short := g.Box.Issuer().Mint(issuer.Grant{Subject: "short", TTL: 20 * time.Second})
		g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Token: short, Status: http.StatusUnauthorized})
		s := g.subscribe(t, short, watchTransaction, variables{"id": id})
		if e := s.want(live.Failed); e.Errors[0].Extensions["code"] != "UNAUTHENTICATED" || e.Live.Final {
			t.Errorf("%s", e.Body)
		}
		if e := s.next(); e.kind != "" {
			t.Errorf("event %q after the end", e.kind)
		}
	})
}

// TestDrainStreams: drain ends streams without the sign that they are complete, and new ones are rejected.
func TestDrainStreams(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		s := g.watchRecord(t, g.Token, id)
		g.Handler.DrainStreams(time.Millisecond)
		if e := s.next(); e.kind != "" {
			t.Errorf("event %q %s", e.kind, e.Body)
		}
		r := g.QueryWith(http.Header{"Accept": {"text/event-stream"}}, watchTransaction, variables{"id": id})
		if r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
			t.Errorf("%d %s", r.Status, r.Body)
		}
	})
}
