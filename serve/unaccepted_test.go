package serve_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/client"
)

// TestAcceptedStreamsLeaveTheCommonShare: in forward mode, a stream that began with a token that no API had accepted
// does not use the common share once an API has accepted the token. So new tokens can begin streams, however many run.
func TestAcceptedStreamsLeaveTheCommonShare(t *testing.T) {
	few := func(o *options) { o.Auth.Mode, o.Serve.Live.StreamsPerCaller = auth.ModeForward, 1 } // 4 MiB for the common share
	runWith(t, few, func(t *testing.T, g *gateway) {
		vars := variables{"id": g.Box.Samples().OpenTransaction}
		const streams = 250 // of more than 30 KB each
		var open []io.Closer
		for n := range streams {
			resp := g.trySubscribe(t, g.Box.Token(fmt.Sprint("scope_", n)), largeSubscription(n), vars)
			if !isStream(resp) {
				body, _ := io.ReadAll(resp.Body)
				t.Fatalf("stream %d: %s", n, body)
			}
			_, _ = io.ReadFull(resp.Body, make([]byte, 200)) // its first event
			open = append(open, resp.Body)
		}
		if held := g.Handler.Stats().StreamBytes; held < 6<<20 {
			t.Errorf("the streams hold %d bytes, which the common share has too", held)
		}
		for _, stream := range open {
			_ = stream.Close()
		}
		g.await("the end of the streams", func() bool { return g.Handler.Stats().StreamBytes == 0 })
	})
}

// TestAcceptedWebSocketsLeaveTheCommonShare: in forward mode, WebSockets whose token no API has accepted are at most an
// eighth of all; those whose token an API has accepted leave room for others.
func TestAcceptedWebSocketsLeaveTheCommonShare(t *testing.T) {
	const all, common = 16, 2 // WebSockets
	runWith(t, func(o *options) { o.Auth.Mode, o.Serve.Live.Streams = auth.ModeForward, all }, func(t *testing.T, g *gateway) {
		open := func(token string) *socket {
			s := g.open(t)
			s.init(token)
			return s
		}
		tokens := []string{g.Box.Token("a"), g.Box.Token("b")}
		for _, token := range tokens {
			open(token).want("connection_ack", "")
		}
		open("invented").wantClose(1013)
		for _, token := range tokens {
			g.QueryAs(token, "{ deposits { totalCount } }").WantOK()
		}
		time.Sleep(time.Second) // requests without room do not try all others each time
		for range common {
			open("invented").want("connection_ack", "")
		}
		open("invented").wantClose(1013)
	})
}

// TestUnacceptedStreamsShareCalls: in forward mode, the first reads of streams with tokens that no API has accepted
// have one common share of the calls in flight, however many tokens there are.
func TestUnacceptedStreamsShareCalls(t *testing.T) {
	const queries = 16
	runWith(t, func(o *options) {
		o.Auth.Mode, o.Upstream.Timeout = auth.ModeForward, 10*gatewaytest.Timeout
		o.Upstream.Concurrency = queries*4/3 + 1 // a quarter is for calls in the background
	}, func(t *testing.T, g *gateway) {
		gate := make(chan struct{})
		defer g.Box.Inject(sandbox.Fault{Gate: gate})()
		defer close(gate)
		vars := variables{"id": g.Box.Samples().OpenTransaction}
		for n := range 20 {
			go func() {
				resp := g.trySubscribe(t, fmt.Sprint("invented-", n), "subscription($id: ID!) { transaction(id: $id) { id } }", vars)
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}()
		}
		time.Sleep(5 * time.Second)
		if s := g.Upstream.Stats()[0]; s.InFlight != queries/8 || s.Waiting == 0 {
			t.Errorf("%d calls in flight, want an eighth of %d; %d wait", s.InFlight, queries, s.Waiting)
		}
	})
}

// TestInventedTokensFailAlone: in forward mode, calls that an API cannot handle because of an invented token cost calls
// of other new tokens nothing.
func TestInventedTokensFailAlone(t *testing.T) {
	runWith(t, func(o *options) { o.Auth.Mode = auth.ModeForward }, func(_ *testing.T, g *gateway) {
		defer g.Box.Inject(sandbox.Fault{Token: "invented", Status: 500})()
		for page := range 2 * client.DefaultBreakerCalls {
			g.QueryAs("invented", fmt.Sprintf("{ deposits(page: %d) { totalCount } }", page+1))
		}
		g.QueryAs(g.Box.Token("new"), "{ deposits(page: 1) { totalCount } }").WantOK()
	})
}
