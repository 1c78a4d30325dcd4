package mcp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/test/gatewaytest"
)

const wellKnown = "/.well-known/oauth-protected-resource"

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// send sends a request to /mcp with the header of a client, which the given one may replace.
func (g *gateway) send(method, body string, header http.Header) gatewaytest.Response {
	g.T.Helper()
	r, err := http.NewRequestWithContext(g.T.Context(), method, g.URL+"/mcp", strings.NewReader(body))
	must(g.T, err)
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	return g.Send(r, header)
}

// TestTokens: without a token that is for this gateway, a client learns where to get one, and the protocol is not read.
func TestTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t)
		other := g.Box.Issuer().Mint(issuer.Grant{Audience: []string{"https://other.example.com/mcp"}})
		for _, authorization := range [][]string{nil, {"Bearer invalid"}, {"Bearer " + other}} {
			r := g.send(http.MethodPost, "{", http.Header{"Authorization": authorization})
			want := `resource_metadata="https://pay.example.com` + wellKnown + `/mcp"`
			if challenge := r.Header.Get("WWW-Authenticate"); r.Status != http.StatusUnauthorized || !strings.HasSuffix(challenge, want) {
				t.Errorf("%d, %q", r.Status, challenge)
			}
		}
		if _, err := g.connect(other); err == nil {
			t.Error("connected with a token for another audience")
		}
		if metadata := string(g.Get(wellKnown + "/mcp").Body); !strings.Contains(metadata, `"resource":"https://pay.example.com/mcp"`) {
			t.Error(metadata)
		}
		g.WantNoCalls()
	})
}

// TestOff: without the setting, nothing shows the protocol.
func TestOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, func(o *options) { o.Serve.Assistants = false; o.Serve.CORS.Origins = []string{"*"} })
		withoutID := func(r gatewaytest.Response) string {
			return strings.ReplaceAll(string(r.Body), r.Header.Get("X-Request-Id"), "")
		}
		unknown := withoutID(g.Get("/unknown"))
		for _, r := range []gatewaytest.Response{g.send(http.MethodPost, listTools, nil), g.Get("/mcp"), g.Get(wellKnown + "/mcp")} {
			if r.Status != http.StatusNotFound || withoutID(r) != unknown {
				t.Errorf("%d: %s", r.Status, r.Body)
			}
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, g.URL+"/graphql", nil)
		must(t, err)
		preflight := g.Send(request, http.Header{"Origin": {"https://app.example.com"}, "Access-Control-Request-Method": {"POST"}})
		for _, r := range []gatewaytest.Response{preflight, g.Get(wellKnown + "/graphql")} {
			if text := strings.ToLower(fmt.Sprint(r.Header, string(r.Body))); strings.Contains(text, "mcp") {
				t.Error(text)
			}
		}
	})
}

// TestRequests: requests that are not those of a client without a session are refused, before the SDK sees them.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, func(o *options) { o.Serve.CORS.Origins = []string{"https://app.example.com"} })
		call := func(method string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","method":%q,"params":{}}`, method)
		}
		page := func(origin string) http.Header {
			return http.Header{"Origin": {origin}, "Sec-Fetch-Site": {"cross-site"}}
		}
		revision := func(name string) http.Header { return http.Header{"Mcp-Protocol-Version": {name}} }
		for _, tt := range []struct {
			name, method, body string
			header             http.Header
			status             int
			want               string
		}{
			{"tools", "POST", listTools, nil, 200, `"id":1`},
			{"older revision", "POST", listTools, revision("2025-06-18"), 200, `"tools":[`},
			{"unknown revision", "POST", listTools, revision("2020-01-01"), 400, "is not supported: send one of 2026-07-28"},
			{"later revision", "POST", call("server/discover"), revision("2099-01-01"), 400, `"code":-32022,"data":{"supported":["2026-07-28"`},
			{"unknown revision of a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, revision("x"), 400, "MCP-Protocol-Version"},
			{"stream", "GET", "", nil, 405, ""},
			{"end of a session", "DELETE", "", nil, 405, ""},
			{"batch", "POST", "[" + listTools + "]", nil, 400, `"code":-32600,"message":"batching`},
			{"no body", "POST", "", nil, 400, `"code":-32700,"message":"the request body is not valid JSON`},
			{"no JSON", "POST", `{"jsonrpc":"2.0",`, nil, 400, `"code":-32700`},
			{"not an object", "POST", `"x"`, nil, 400, `"code":-32600`},
			{"duplicate member", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, nil, 400, "duplicate"},
			{"deep", "POST", `{"params":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, nil, 400, "too deeply"},
			{"large", "POST", `{"params":"` + strings.Repeat("a", 33<<10) + `"}`, nil, 413, "too large"},
			{"many values", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[` + strings.Repeat("1,", 243) + `1]}}`, nil, 200, `"id":1`},
			{"too many values", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[` + strings.Repeat("1,", 244) + `1]}}`, nil, 400, "too many values"},
			{"reading ends at too many values", "POST", `{"params":[` + strings.Repeat("1,", 9000) + `}`, nil, 400, "too many values"},
			{"no version", "POST", `{"id":1,"method":"ping"}`, nil, 400, "JSON-RPC 2.0"},
			{"an id that is an object", "POST", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, 400, "JSON-RPC 2.0"},
			{"no id to answer to", "POST", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, "JSON-RPC 2.0"},
			{"neither request nor response", "POST", `{"jsonrpc":"2.0","id":1}`, nil, 400, `"id":1`},
			{"an id that is not an integer", "POST", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, "JSON-RPC 2.0"},
			{"an id above 2^53", "POST", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, nil, 400, "JSON-RPC 2.0"},
			{"a large id", "POST", `{"jsonrpc":"2.0","id":-9007199254740991,"method":"ping"}`, nil, 200, `"id":-9007199254740991`},
			{"parameters that are a list", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, nil, 400, "JSON-RPC 2.0"},
			{"other type", "POST", listTools, http.Header{"Content-Type": {"text/plain"}}, 415, ""},
			{"no stream accepted", "POST", listTools, http.Header{"Accept": {"application/json"}}, 400, "'text/event-stream'\"}"},
			{"unknown tool", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, nil, 200, "unknown tool"},
			{"call without parameters", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, 400, `{"error":{"code":-32600,"message":"invalid request`},
			{"a tool that is no text", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["s3cret"]}}`, nil, 200, `{"error":{"code":-32602,`},
			{
				"a revision that is no text", "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`,
				nil, 200, `{"error":{"code":-32602,`,
			},
			{"ping", "POST", call("ping"), nil, 200, `"id":"a"`},
			{"notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
			{"response", "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 202, ""},
			{"error without an id", "POST", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, nil, 202, ""},
			{"other method", "POST", call("logging/setLevel"), nil, 404, "-32601"},
			{"changes", "POST", call("subscriptions/listen"), revision("2026-07-28"), 404, "-32601"},
			{"resources", "POST", call("resources/list"), nil, 404, "-32601"},
			{"page of another origin", "POST", listTools, page("https://evil.example.com"), 403, "origin"},
			{"page of an allowed origin", "POST", listTools, page("https://app.example.com"), 200, `"tools":[`},
		} {
			r := g.send(tt.method, tt.body, tt.header)
			if r.Status != tt.status || !strings.Contains(string(r.Body), tt.want) || strings.Contains(string(r.Body), "s3cret") ||
				r.Status != http.StatusAccepted && r.Header.Get("Content-Type") != "application/json" ||
				r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("Mcp-Session-Id") != "" {
				t.Errorf("%s: %d, %v: %.300s", tt.name, r.Status, r.Header, r.Body)
			}
		}
		preflight := g.send(http.MethodOptions, "", http.Header{
			"Origin": {"https://app.example.com"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"mcp-protocol-version"},
		})
		if allowed := preflight.Header.Get("Access-Control-Allow-Headers"); !strings.Contains(allowed, "mcp-protocol-version") {
			t.Errorf("%d, %q", preflight.Status, allowed)
		}
	})
}

// TestHTML: characters of HTML are not escaped on the way, so no error that repeats a request is larger than it.
func TestHTML(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t)
		text := strings.Repeat("<>&", 10<<10)
		for name, body := range map[string]string{
			"id":           `{"jsonrpc":"2.0","id":"` + text + `","method":"ping"}`,
			"other method": `{"jsonrpc":"2.0","id":"` + text + `","method":"other"}`,
			"unknown tool": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + text + `"}}`,
		} {
			if r := g.send(http.MethodPost, body, nil); !strings.Contains(string(r.Body), text) || len(r.Body) > len(body)+1<<10 {
				t.Errorf("%s: %d, %d bytes: %.200s", name, r.Status, len(r.Body), r.Body)
			}
		}
	})
}

// TestKeepsNothing: hundreds of clients that connect, list tools and call them leave nothing behind.
func TestKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, func(o *options) { o.Serve.LogOneIn = 1 << 20 })
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_pix_code","arguments":{"code":"0002"}}}`
		initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"` + strings.Repeat("x", 8<<10) + `","version":"1"}}}`
		rounds := func(n int) (heap uint64, goroutines int) {
			for range n {
				for _, body := range []string{initialize, listTools, call} {
					if r := g.send(http.MethodPost, body, nil); r.Status != http.StatusOK {
						t.Fatalf("%d: %s", r.Status, r.Body)
					}
				}
			}
			synctest.Wait()
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc, runtime.NumGoroutine()
		}
		before, few := rounds(50)
		after, many := rounds(200)
		if kept := int64(after) - int64(before); kept > 512<<10 || many > few+10 {
			t.Errorf("%d bytes and %d goroutines after 600 requests", kept, many-few)
		}
		g.wantNoMemory()
	})
}

// TestClientLeaves: the operation of a client that has left ends, with each revision of the protocol.
func TestClientLeaves(t *testing.T) {
	for _, revision := range []string{"2025-06-18", "2026-07-28"} {
		synctest.Test(t, func(t *testing.T) {
			g := start(t)
			id := g.known().transaction
			undo := g.Box.Inject(sandbox.Fault{Kind: sandbox.FaultHang})
			ctx, leave := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+"/mcp", strings.NewReader(fmt.Sprintf(
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"payment_timeline","arguments":{"id":%q},`+
					`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}}}`, id, revision)))
			must(t, err)
			r.Header = http.Header{
				"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + g.Token},
				"Mcp-Protocol-Version": {revision}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"payment_timeline"},
			}
			left := make(chan error)
			go func() {
				resp, err := g.HTTP.Do(r)
				if err == nil {
					err = fmt.Errorf("status %d", resp.StatusCode)
					_ = resp.Body.Close()
				}
				left <- err
			}()
			g.AwaitCalls(1)
			leave()
			if err := <-left; ctx.Err() == nil || !strings.Contains(err.Error(), "canceled") {
				t.Error(err)
			}
			g.wantNoMemory()
			if strings.Contains(g.Log.String(), "ERROR") {
				t.Error(g.Log)
			}
			undo()
		})
	}
}

// TestSlots: a call is read only while it has a slot, and its operation takes its own after that.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, func(o *options) { o.Serve.MaxOperations = 1 })
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"newest_payments","arguments":{"kind":"deposits"}}}`
		if r := g.send(http.MethodPost, call, nil); r.Status != http.StatusOK || !strings.Contains(string(r.Body), "amountPaid") {
			t.Fatalf("%d: %s", r.Status, r.Body)
		}
		g.Box.ResetCalls()
		defer g.Box.Inject(sandbox.Fault{Kind: sandbox.FaultHang})()
		ctx, leave := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+"/mcp", strings.NewReader(call))
		must(t, err)
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + g.Token}}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if resp, err := g.HTTP.Do(r); err == nil {
				_ = resp.Body.Close()
			}
		}()
		g.AwaitCalls(1)
		for _, body := range []string{call, strings.Replace(call, "kind", "other", 1), strings.Replace(call, "newest", "other", 1)} {
			if r := g.send(http.MethodPost, body, nil); r.Status != http.StatusServiceUnavailable {
				t.Errorf("%d: %s", r.Status, r.Body)
			}
		}
		leave()
		<-ended
		g.wantNoMemory()
	})
}

// TestDirect: what is answered without the SDK is what the SDK answers, which gets a request with a member more.
func TestDirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t)
		for _, revision := range append(mcp.SupportedProtocolVersions(), "") {
			var header http.Header
			if revision != "" {
				header = http.Header{"Mcp-Protocol-Version": {revision}}
			}
			client := `"protocolVersion":"` + cmp.Or(revision, "2020-01-01") + `","capabilities":{},"clientInfo":{"name":"x","version":"1"}`
			for method, params := range map[string]string{
				"ping": `"_meta":{"progressToken":1}`, "tools/list": `"_meta":{}`, "initialize": client,
				"tools/call": `"name":"read_pix_code","arguments":{"code":"<0002&"}`,
			} {
				body := func(more string) string {
					return `{"jsonrpc":"2.0","id":"<a","method":"` + method + `","params":{` + params + more + `}}`
				}
				direct := g.send(http.MethodPost, body(""), header)
				viaSDK := g.send(http.MethodPost, body(`,"_meta":{"io.modelcontextprotocol/x":1}`), header)
				if strings.Contains(params, "_meta") {
					viaSDK = g.send(http.MethodPost, body(`,"x":1`), header)
				}
				var got, want any
				must(t, json.Unmarshal(direct.Body, &got))
				must(t, json.Unmarshal(viaSDK.Body, &want))
				if !reflect.DeepEqual(got, want) || direct.Status != viaSDK.Status ||
					direct.Header.Get("Content-Type") != viaSDK.Header.Get("Content-Type") {
					t.Errorf("%s, revision %q: %.300s, from the SDK %.300s", method, revision, direct.Body, viaSDK.Body)
				}
			}
		}
	})
}

// TestRevisions: the SDK's client works with each revision that it knows.
func TestRevisions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t)
		for _, revision := range mcp.SupportedProtocolVersions() {
			r := g.send(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+revision+
				`","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, nil)
			want := `"protocolVersion":"` + revision + `"`
			if revision >= "2026-07-28" { // has no handshake
				want = `"protocolVersion":"2025-11-25"`
			}
			if r.Status != http.StatusOK || !strings.Contains(string(r.Body), want) || strings.Contains(string(r.Body), "listChanged\":true") ||
				strings.Contains(string(r.Body), `"logging"`) {
				t.Errorf("%s: %d %s", revision, r.Status, r.Body)
			}
		}
	})
}
