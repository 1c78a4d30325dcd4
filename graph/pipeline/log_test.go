package pipeline_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pixgraph/upstream/sandbox"
)

// TestOperationLines: operations with errors are all logged, of the others the first and then one in so many.
func TestOperationLines(t *testing.T) {
	g := start(t, func(o *options) { o.Pipeline.LogOneIn = 3 })
	for range 7 {
		g.Query("{ __typename }", nil)
	}
	for range 2 {
		g.Query(`{ notification(id: "none") { id } }`, nil)
	}
	if got := strings.Count(g.Log.String(), `"msg":"operation"`); got != 3+2 {
		t.Errorf("%d lines: %s", got, g.Log)
	}
}

// TestOperationLine: the log tells the causes of failed calls, once, without addresses.
func TestOperationLine(t *testing.T) {
	g := start(t)
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
	if len(line.Failures) != 1 || !strings.HasPrefix(line.Failures[0], "core: get a transaction: unavailable: ") || strings.Contains(line.Failures[0], "127.0.0.1") {
		t.Errorf("failures: %q", line.Failures)
	}
}

// TestLineOfClient: the line of an operation says who sent it, in which trace, and how many calls it made.
func TestLineOfClient(t *testing.T) {
	g := start(t)
	g.asClient("web", "7", "query Page { deposits { totalCount } withdrawals { totalCount } }")
	for _, text := range []string{
		`"name":"Page"`, `"client":"web"`, `"clientVersion":"7"`, `"calls":2`, `"traceId":"0af7651916cd43dd8448eb211c80319c"`,
	} {
		if !strings.Contains(g.Log.String(), text) {
			t.Errorf("no %s in %s", text, g.Log.String())
		}
	}
}
