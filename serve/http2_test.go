package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/upstream/live"
)

// deadlines records the deadline of writes of a response, as http.ResponseController sets it.
type deadlines struct {
	http.ResponseWriter
	last *atomic.Pointer[time.Time]
}

func (d deadlines) SetWriteDeadline(at time.Time) error {
	d.last.Store(&at)
	return http.NewResponseController(d.ResponseWriter).SetWriteDeadline(at)
}

func (d deadlines) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// overHTTP2 serves a gateway over HTTP/2, and sends it an operation. The deadline of writes is stored in last.
func (g *gateway) overHTTP2(t testing.TB, last *atomic.Pointer[time.Time], accept, body string) *http.Response {
	t.Helper()
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	url := g.Network.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.Handler.ServeHTTP(deadlines{w, last}, r)
	}), func(server *http.Server) { server.Protocols = &protocols })
	client := g.Network.Client(t)
	client.Transport.(*http.Transport).Protocols = &protocols
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/graphql", strings.NewReader(body))
	must(t, err)
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {accept}, "Te": {"trailers"}, "Authorization": {"Bearer " + g.Token}}
	resp, err := client.Do(req)
	must(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.ProtoMajor != 2 || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %d", resp.Proto, resp.StatusCode)
	}
	return resp
}

// TestStreamOverHTTP2: between two events a stream has no deadline, at which HTTP/2 would reset it. It holds no slot,
// and none of the memory of requests.
func TestStreamOverHTTP2(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		var last atomic.Pointer[time.Time]
		body := fmt.Sprintf(`{"query":%q,"variables":{"id":%q}}`, watchTransaction, g.Box.Samples().OpenTransaction)
		resp := g.overHTTP2(t, &last, "text/event-stream", body)
		s := &stream{t, resp.Body, bufio.NewReader(resp.Body)}
		s.want(live.Snapshot)
		g.await("a stream without a deadline", func() bool { at := last.Load(); return at != nil && at.IsZero() })
		g.await("a stream without a slot and memory of requests", func() bool {
			slots, _ := g.Handler.Operations()
			bytes, _ := g.Handler.Memory()
			return slots == 0 && bytes == 0
		})
		g.Box.Ledger().Step()
		s.want(live.Changed)
		must(t, resp.Body.Close())
		g.awaitNoStreams(t)
	})
}

// TestDownloadOverHTTP2: a download has no deadline while it waits for its next page.
func TestDownloadOverHTTP2(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		gate := make(chan struct{})
		g.Box.Inject(sandbox.Fault{Gate: gate, Match: func(r *http.Request) bool { return r.URL.Query().Get("page") == "2" }})
		var last atomic.Pointer[time.Time]
		resp := g.overHTTP2(t, &last, "application/x-ndjson", `{"query":"{ deposits(perPage: 100) { nodes { id } } }"}`)
		g.await("a download without a deadline", func() bool { at := last.Load(); return at != nil && at.IsZero() })
		close(gate)
		file, err := io.ReadAll(resp.Body)
		if err != nil || resp.Trailer.Get("X-Pixgraph-Complete") != "true" {
			t.Errorf("the file ends with %q, %v", file[max(0, len(file)-100):], err)
		}
	})
}

// TestPartsOverHTTP2: the parts of a response come one by one.
func TestPartsOverHTTP2(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		gate := make(chan struct{})
		g.Box.Inject(sandbox.Fault{Gate: gate, Service: sandbox.Dispatcher})
		var last atomic.Pointer[time.Time]
		resp := g.overHTTP2(t, &last, acceptV02, fmt.Sprintf(`{"query":%q,"variables":{"ts":[%q]}}`, payment, id))
		next := readParts(t, resp.Header.Get("Content-Type"), resp.Body)
		first, _ := next()
		if len(first.Pending) != 1 {
			t.Fatalf("%+v", first)
		}
		close(gate)
		second, _ := next()
		if _, more := next(); more || second.HasNext || len(second.Incremental) != 1 {
			t.Errorf("%+v", second)
		}
	})
}
