package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkRequests measures the requests of a client without the network, with a sandbox that answers at once.
func BenchmarkRequests(b *testing.B) {
	g := start(b)
	for name, body := range map[string]string{
		"ping": `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"list": listTools,
		"initialize": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
			`"clientInfo":{"name":"bench","version":"1"}}}`,
		"call": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_pix_code","arguments":{"code":"0002"}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
				r.Header = http.Header{
					"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
					"Authorization": {"Bearer " + g.Token}, "Mcp-Protocol-Version": {"2025-11-25"},
				}
				w := httptest.NewRecorder()
				g.Handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatalf("%d: %s", w.Code, w.Body)
				}
			}
		})
	}
}
