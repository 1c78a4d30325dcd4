package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/sandbox/issuer"
)

// trySubscribe begins a subscription over SSE, which may be refused. The connection is closed with the body.
func (g *gateway) trySubscribe(t testing.TB, token, document string, vars variables) *http.Response {
	t.Helper()
	return g.Within(t).OpenAs(token, "text/event-stream, application/json", document, vars)
}

// isStream reports whether a subscription has begun.
func isStream(resp *http.Response) bool {
	return strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
}

// heapInUse returns the bytes of the heap that are reachable.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // the first one only moves pools to their victims
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// largeSubscription is a document of 30 KB that no other has.
func largeSubscription(n int) string {
	fields := strings.Repeat("statusHistory { status durationInMilliseconds } ", 40)
	return fmt.Sprintf("subscription($id: ID!, $until: [TransactionStatus!]) { transaction(id: $id, until: $until) { %s } } # %d %s",
		fields, n, strings.Repeat("x", 27_000))
}

// TestStreamsOfOneCaller: a caller whose streams have large documents of their own, which the cache of documents does
// not hold, gets an error before they hold more than 16 MiB. Another caller is not affected, and the end of the streams
// releases everything.
func TestStreamsOfOneCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t)
		const (
			bound   = 16 << 20
			caches  = 24 << 20 // parsed documents
			clients = 16 << 20 // the connections of the test, and what varies
		)
		g.Query("{ __typename }").WantOK() // fetches the keys of the issuer
		vars := variables{"id": g.Box.Samples().OpenTransaction, "until": strings.Split(strings.Repeat("PAID ", 500)+"PAID", " ")}
		before := heapInUse()
		var open []io.Closer
		var refused string
		for n := range 1000 {
			resp := g.trySubscribe(t, g.Token, largeSubscription(n), vars)
			if !isStream(resp) {
				body, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				refused = string(body)
				break
			}
			open = append(open, resp.Body)
		}
		if !strings.Contains(refused, `"code":"LIMIT_EXCEEDED"`) || !strings.Contains(refused, `"limit":"liveBytes"`) || len(open) < 50 {
			t.Fatalf("after %d streams: %s", len(open), refused)
		}
		if held := g.Handler.Stats().StreamBytes; held > bound || held < bound*9/10 {
			t.Errorf("%d streams hold %d bytes", len(open), held)
		}
		if more := heapInUse() - before; more > bound+caches+clients {
			t.Errorf("the heap has grown by %d bytes", more)
		} else {
			t.Logf("%d streams, heap %d", len(open), more)
		}
		other := g.trySubscribe(t, g.Box.Issuer().Mint(issuer.Grant{Subject: "another"}), largeSubscription(0), vars)
		if !isStream(other) {
			body, _ := io.ReadAll(other.Body)
			t.Errorf("another caller cannot subscribe: %s", body)
		}
		for _, stream := range append(open, other.Body) {
			must(t, stream.Close())
		}
		g.awaitNoStreams(t)
	})
}

// TestMemoryOfAllStreams: the streams of all callers together hold no more memory than they may, and a rejection is
// counted.
func TestMemoryOfAllStreams(t *testing.T) {
	few := func(o *options) { o.Serve.Live.Streams = 256 } // which may hold 4 MiB
	runWith(t, with(quick, few), func(t *testing.T, g *gateway) {
		vars := variables{"id": g.Box.Samples().OpenTransaction, "until": strings.Split(strings.Repeat("REFUNDED ", 500)+"REFUNDED", " ")}
		for n := range 200 {
			resp := g.trySubscribe(t, g.Box.Issuer().Mint(issuer.Grant{Subject: fmt.Sprint(n)}), largeSubscription(n), vars)
			defer resp.Body.Close()
			if !isStream(resp) {
				if resp.StatusCode != http.StatusServiceUnavailable {
					t.Errorf("%d", resp.StatusCode)
				}
				g.wantRejectedStreams(t, 1)
				return
			}
		}
		t.Errorf("%d bytes", g.Handler.Stats().StreamBytes)
	})
}

// wantRejectedStreams checks how many streams and WebSockets were rejected because of all callers together.
func (g *gateway) wantRejectedStreams(t testing.TB, want uint64) {
	t.Helper()
	if n := g.Handler.Stats().LimitsHit["streams"]; n != want {
		t.Errorf("%d streams are counted as rejected, want %d", n, want)
	}
}

// TestStreamsShareDocuments: streams with the same document are charged for it once.
func TestStreamsShareDocuments(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		vars := variables{"id": g.Box.Samples().OpenTransaction}
		var open []io.Closer
		held := make([]int, 10)
		for n := range held {
			resp := g.trySubscribe(t, g.Token, largeSubscription(0), vars)
			if !isStream(resp) {
				t.Fatal("a stream is refused")
			}
			open = append(open, resp.Body)
			held[n] = g.Handler.Stats().StreamBytes
		}
		if each := held[9] - held[8]; each > 20<<10 || held[0] < each+54_000 {
			t.Errorf("the streams hold %d bytes", held)
		}
		for _, stream := range open {
			must(t, stream.Close())
		}
		g.awaitNoStreams(t)
	})
}

// awaitNoStreams waits until all streams have ended, and nothing is counted.
func (g *gateway) awaitNoStreams(t testing.TB) {
	t.Helper()
	g.await("the end of all streams", func() bool {
		s := g.Handler.Stats()
		return s.Live.Streams == 0 && s.StreamBytes == 0 && s.Protocols["sse"] == 0
	})
}
