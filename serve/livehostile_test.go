package serve_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"pixgraph/sandbox"
	"pixgraph/upstream/live"
)

// TestSlowReaders: a client that stops reading is disconnected, by each protocol. It delays no other stream, and its
// events take a bounded amount of memory until then.
func TestSlowReaders(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.Live.Interval = 100 * time.Millisecond }, func(t *testing.T, g *gateway) {
		var reads atomic.Int64
		amount := regexp.MustCompile(`"amount":\d+`)
		defer g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Mutate: func(body []byte) []byte {
			return amount.ReplaceAll(body, fmt.Appendf(nil, `"amount":%d`, reads.Add(1)))
		}})()
		const document = `subscription { deposits(perPage: 100) { nodes { id amount pixResponse { uri qrCodeBase64 } } } }`
		g.write("1.1", "text/event-stream", document)
		g.write("1.1", `multipart/mixed;subscriptionSpec="1.0"`, document)
		socket := g.connect(t, g.Token)
		socket.subscribe("1", document)
		g.awaitStreams(3)
		good := g.subscribe(t, g.Token, document)
		good.want(live.Snapshot)
		var most int64
		for g.Handler.Live().Streams > 1 {
			e := good.want(live.Changed)
			if size := int64(len(e.Body)); size < 50_000 {
				t.Fatalf("an event has %d bytes", size)
			}
			held, _ := g.Handler.Memory()
			most = max(most, held/int64(len(e.Body)))
		}
		if most > 4*4+10 { // four streams, and the answer that is computed
			t.Errorf("the streams held %d times an event", most)
		}
		good.want(live.Changed)
		must(t, good.body.Close())
		g.awaitNoStreams(t)
		g.awaitSockets(0)
		g.awaitNoMemory()
		for _, protocol := range []string{"sse", "multipart"} { // the read from a WebSocket may fail before the write
			if !strings.Contains(g.Log.String(), `"protocol":"`+protocol+`","reason":"slow"`) {
				t.Errorf("the log lacks the end of %s", protocol)
			}
		}
	})
}

// TestWebSocketsWithoutInit: connections that send no connection_init are closed, and hold little memory. Meanwhile
// others are admitted.
func TestWebSocketsWithoutInit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t)
		const connections, each = 1000, 48 << 10 // with the client's end
		before := heapInUse()
		var silent []*socket
		for range connections {
			silent = append(silent, g.open(t))
		}
		if held := (heapInUse() - before) / connections; held > each {
			t.Errorf("a connection holds %d bytes", held)
		}
		s := g.connect(t, g.Token)
		s.subscribe("1", watchTransaction, variables{"id": g.Box.Samples().OpenTransaction})
		s.wantEvent("1", live.Snapshot)
		for _, s := range silent {
			s.wantClose(4408)
		}
		g.awaitSockets(1)
		s.subscribe("2", "{ deposits { totalCount } }")
		s.want("next", "2")
		s.frame(ws.NewCloseFrame(nil))
	})
}

// TestManyNudges: ten thousand webhooks cause at most one read of a watched record in a quarter of a second, and none
// for ids that are unknown or not whole. All are answered with 204.
func TestManyNudges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const nudges, senders, records = 10_000, 8, 20
		g := start(t, slowReads)
		ids := g.transactionIDs(records + 1)
		for _, id := range ids {
			g.watchRecord(t, g.Token, id)
		}
		cut := ids[records] // no webhook has it whole in its first 64 KiB
		garbage := make([]byte, 64<<10)
		random := rand.NewChaCha8([32]byte{})
		_, _ = random.Read(garbage)
		edge := bytes.Repeat([]byte(" "), 64<<10-len(cut)/2)
		bodies := [][]byte{
			garbage, append(edge, cut...), append(bytes.Clone(garbage), cut...), []byte(`{"id":"unknown","x":["00000000-0000-4000-8000-000000000000"]}`),
		}
		g.Box.ResetCalls()
		before := heapInUse()
		var sending sync.WaitGroup
		var n atomic.Int64
		for range senders {
			sending.Go(func() {
				for i := n.Add(1); i <= nudges; i = n.Add(1) {
					body := []byte(`{"data":{"id":"` + ids[i/10%records] + `"}}`)
					if i%10 == 0 {
						body = bodies[i/10%int64(len(bodies))]
					}
					// Without connections, which take most of the time.
					w := httptest.NewRecorder()
					g.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/nudge/"+nudgeSecret, bytes.NewReader(body)))
					if w.Code != http.StatusNoContent {
						t.Errorf("status %d", w.Code)
					}
				}
			})
		}
		sending.Wait()
		<-time.After(time.Minute)
		reads := map[string]int{}
		for _, call := range g.Box.Calls() {
			reads[call.Path[strings.LastIndexByte(call.Path, '/')+1:]]++
		}
		if len(reads) != records || reads[cut] != 0 {
			t.Errorf("%d records were read: %v", len(reads), reads)
		}
		for id, n := range reads {
			if n > 2 {
				t.Errorf("%d reads of %s, want one, and one for the webhooks that came during it", n, id)
			}
		}
		if more := heapInUse() - before; more > 16<<20 {
			t.Errorf("the heap has grown by %d bytes", more)
		}
	})
}
