package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pixgraph/sandbox"
)

// TestOperationLines: all operations with errors are logged, and of the others the first and then one in LogOneIn.
func TestOperationLines(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.LogOneIn = 3 }, func(t *testing.T, g *gateway) {
		for range 7 {
			g.Query("{ __typename }", nil)
		}
		for range 2 {
			g.Query(`{ notification(id: "none") { id } }`, nil)
		}
		if got := strings.Count(g.Log.String(), `"msg":"operation"`); got != 3+2 {
			t.Errorf("%d lines: %s", got, g.Log)
		}
	})
}

// TestOperationLine: the log has the causes of failed calls, each once, without addresses.
func TestOperationLine(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Kind: sandbox.FaultReset})
		g.Query("query Named($ids: [ID!]!) { transactions(ids: $ids) { id } deposits { totalCount } }", variables{"ids": g.transactionIDs(5)})
		var line struct {
			Msg, Name, Document string
			Codes, Failures     []string
		}
		for text := range strings.Lines(g.Log.String()) {
			if strings.Contains(text, `"operation"`) {
				must(t, json.Unmarshal([]byte(text), &line))
			}
		}
		if line.Name != "Named" || len(line.Document) != 12 || fmt.Sprint(line.Codes) != "[UPSTREAM_UNAVAILABLE]" {
			t.Errorf("%+v", line)
		}
		failure := strings.Join(line.Failures, ", ")
		if len(line.Failures) != 1 || !strings.HasPrefix(failure, "core: get a transaction: unavailable: ") || strings.Contains(failure, "127.0.0.1") {
			t.Errorf("failures: %q", line.Failures)
		}
	})
}

// TestCORSInLog: the log has the setting to change if a page of another origin cannot use the gateway. The default
// allows none.
func TestCORSInLog(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		g.QueryWith(http.Header{"Origin": {"http://localhost:5173"}}, "{ __typename }")
		if text := g.Log.String(); !strings.Contains(text, "cors_origins") || !strings.Contains(text, `"origin":"http://localhost:5173"`) {
			t.Error(text)
		}
	})
}

// TestClientInLog: the log line of an operation has the client, the trace and the number of calls.
func TestClientInLog(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		g.queryAsClient("web", "7", "query Page { deposits { totalCount } withdrawals { totalCount } }")
		for _, text := range []string{
			`"name":"Page"`, `"client":"web"`, `"clientVersion":"7"`, `"calls":2`, `"traceId":"0af7651916cd43dd8448eb211c80319c"`,
		} {
			if !strings.Contains(g.Log.String(), text) {
				t.Errorf("no %s in %s", text, g.Log.String())
			}
		}
	})
}
