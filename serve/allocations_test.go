//go:build !race

// The race detector allocates, and drops what is pooled.

package serve_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/gateway/telemetry"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox"
	"pixgraph/sandbox/ledger"
	"pixgraph/test/gatewaytest"
)

// The allocations of the smallest query from the first byte of its request to the last byte of its response: net/http,
// all steps of the gateway, and one call. They do not depend on the machine.
const (
	maxAllocations = 90
	maxAllocated   = 9200 // bytes
)

func TestAllocations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startSmallest(t)
		for range 100 { // fills the caches and pools
			s.request()
		}
		const requests = 200
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range requests {
			s.request()
		}
		runtime.ReadMemStats(&after)
		allocations := float64(after.Mallocs-before.Mallocs) / requests
		bytes := float64(after.TotalAlloc-before.TotalAlloc) / requests
		t.Logf("%.1f allocations, %.0f bytes", allocations, bytes)
		if allocations > maxAllocations || bytes > maxAllocated {
			t.Errorf("want at most %d allocations and %d bytes", maxAllocations, maxAllocated)
		}
	})
}

func BenchmarkSmallest(b *testing.B) {
	s := startSmallest(b)
	b.ReportAllocs()
	for b.Loop() {
		s.request()
	}
}

// smallest sends the smallest query to a gateway. Neither it nor its API allocates.
type smallest struct {
	t         testing.TB
	conn      net.Conn
	sent, got []byte
}

func startSmallest(t testing.TB) *smallest {
	network := &memnet.Network{}
	box := gatewaytest.StartSandbox(t, sandbox.Config{Records: 20, MoveEvery: -1, Listen: network.Listen, Dial: network.DialContext})
	record := box.Ledger().Transactions()[0]
	api, err := network.Listen()
	must(t, err)
	t.Cleanup(func() { _ = api.Close() })
	go serveRecord(api, record)
	g := start(t, func(o *options) {
		o.Network = network
		o.Upstream.CoreURL = "http://" + api.Addr().String()
		o.Upstream.DispatcherURL = o.Upstream.CoreURL
		o.Auth.Issuers, o.Auth.Audiences = []string{box.IssuerURL()}, []string{box.Audience()}
		o.Serve.Log, o.Serve.LogOneIn = slog.New(slog.NewJSONHandler(io.Discard, nil)), 1000
		metrics := telemetry.New()
		o.Serve.Observer, o.Serve.Calls = metrics, metrics.Calls()
	})
	const document = `query One($id: ID!) { transaction(id: $id) {
		id amount status acquirer paymentMethod isInfoProduct createdAt updatedAt payer { name document } } }`
	body := fmt.Sprintf(`{"query":%q,"variables":{"id":%q}}`, document, record.ID)
	request := fmt.Sprintf("POST /graphql HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/graphql-response+json, application/json;q=0.9\r\nContent-Length: %d\r\n\r\n%s", box.Token(), len(body), body)
	s := &smallest{t, g.Dial(), []byte(request), make([]byte, 64<<10)}
	if response := s.request(); !bytes.Contains(response, []byte(`{"data":{"transaction":{"id":"`+record.ID)) {
		t.Fatalf("%s", response)
	}
	return s
}

// request sends the query and reads its response, which net/http writes at once.
func (s *smallest) request() []byte {
	_, err := s.conn.Write(s.sent)
	must(s.t, err)
	n, err := s.conn.Read(s.got)
	must(s.t, err)
	return s.got[:n]
}

// serveRecord is an API with one record.
func serveRecord(api net.Listener, record *ledger.Entry) {
	body := record.JSON()
	response := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	for {
		conn, err := api.Accept()
		if err != nil {
			return
		}
		go func() {
			request := make([]byte, 64<<10)
			for {
				n, err := conn.Read(request)
				if err != nil || !strings.HasSuffix(string(request[max(0, n-4):n]), "\r\n\r\n") {
					return
				}
				if _, err := conn.Write(response); err != nil {
					return
				}
			}
		}()
	}
}
