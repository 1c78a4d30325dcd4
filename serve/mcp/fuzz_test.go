package mcp_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

// FuzzRequests: whatever a client with a token sends, the response is JSON with a status of the protocol, or text that
// says what is wrong. A panic in a goroutine of the SDK would end the process.
func FuzzRequests(f *testing.F) {
	for _, seed := range []struct{ body, revision string }{
		{listTools, ""},
		{`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{}}}`, "2025-06-18"},
		{`{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"find_payment","arguments":{"id":"a"},"_meta":{"progressToken":1}}}`, "2025-11-25"},
		{`{"jsonrpc":"2.0","id":1e0,"method":"tools/call","params":{"name":null,"arguments":[],"_meta":null}}`, "2026-07-28"},
		{`{"jsonrpc":"2.0","id":-1.5,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":{}}}}`, "2026-07-28"},
		{`{"jsonrpc":"2.0","id":99999999999999999999,"method":"tools/list","params":{"cursor":"x"}}`, "2024-11-05"},
		{`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"x":[]}}}}`, "2026-07-28"},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":null,"capabilities":{"roots":{"listChanged":1}}}}`, "9"},
	} {
		f.Add([]byte(seed.body), seed.revision)
	}
	g := start(f)
	f.Fuzz(func(t *testing.T, body []byte, revision string) {
		r := httptest.NewRequest(http.MethodPost, "/mcp", bytes.NewReader(body))
		r.Header = http.Header{
			"Authorization": {"Bearer " + g.Token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Mcp-Protocol-Version": {revision},
		}
		w := httptest.NewRecorder()
		g.Handler.ServeHTTP(w, r)
		isJSON := w.Header().Get("Content-Type") == "application/json"
		switch {
		case w.Code == http.StatusInternalServerError || w.Code < 200 || w.Code > 299 && w.Code < 400:
			t.Errorf("%d: %s", w.Code, w.Body)
		case w.Code == http.StatusOK && !isJSON, isJSON && !json.Valid(w.Body.Bytes()):
			t.Errorf("%d %v: %s", w.Code, w.Header(), w.Body)
		}
		if held := g.Handler.Stats().MemoryHeld; held != 0 {
			t.Errorf("%d bytes are held", held)
		}
	})
}
