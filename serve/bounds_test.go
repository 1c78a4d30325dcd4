package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pixgraph/internal/quota"
	"pixgraph/sandbox"
)

// aliases is a selection of n aliases of a field.
func aliases(n int, field string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d: %s ", i, field)
	}
	return b.String()
}

// TestResponsesAreBounded: the data of a response above the limit is null. A response within the
// limit does not change.
func TestResponsesAreBounded(t *testing.T) {
	const limit = 100_000
	runWith(t, func(o *options) { o.Serve.Bytes.Answer = limit }, func(t *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		big := bytes.Repeat([]byte("x"), 5_000)
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Mutate: func(body []byte) []byte {
			var record map[string]any
			must(t, json.Unmarshal(body, &record))
			record["metadata"] = map[string]any{"text": string(big)}
			record["errorMessage"] = string(big)
			changed, err := json.Marshal(record)
			must(t, err)
			return changed
		}})
		for name, tt := range map[string]struct {
			selection string
			exceeds   bool
		}{
			"texts":                                 {`transaction(id: "` + id + `") { ` + aliases(40, "errorMessage") + ` }`, true},
			"free-form JSON":                        {`transaction(id: "` + id + `") { ` + aliases(40, "metadata") + ` }`, true},
			"several root fields":                   {aliases(40, `transaction(id: "`+id+`") { metadata }`), true},
			"with notifications":                    {`transaction(id: "` + id + `") { notifications { __typename } ` + aliases(40, "metadata") + ` }`, true},
			"records":                               {`deposits(perPage: 100) { ` + aliases(30, "nodes { id acquirer }") + ` }`, true},
			"edges":                                 {`deposits(perPage: 100) { ` + aliases(30, "edges { cursor node { id } }") + ` }`, true},
			"statuses":                              {`deposits(perPage: 100) { nodes { ` + aliases(20, "statusHistory { status date }") + ` } }`, true},
			"within the limit":                      {`transaction(id: "` + id + `") { ` + aliases(15, "metadata") + ` }`, false},
			"within the limit, with notifications":  {`transaction(id: "` + id + `") { notifications { __typename } ` + aliases(15, "metadata") + ` }`, false},
			"within the limit, several root fields": {aliases(15, `transaction(id: "`+id+`") { metadata }`), false},
		} {
			g.row(name, func(t testing.TB, g *gateway) {
				a := g.Query("{ " + tt.selection + " }")
				if !tt.exceeds {
					a.WantOK()
					return
				}
				exceeded := a.WantError("LIMIT_EXCEEDED")
				if exceeded.Extensions["limit"] != quota.LimitAnswer || fmt.Sprint(exceeded.Extensions["value"]) != fmt.Sprint(limit) {
					t.Errorf("%v", exceeded.Extensions)
				}
				if a.Data != nil || a.Status != http.StatusOK || !bytes.Contains(a.Body, []byte(`"data":null`)) {
					t.Errorf("status %d, %d bytes", a.Status, len(a.Body))
				}
			})
		}
		g.wantNoMemory()
	})
}

// TestReadingIsBounded: an operation reads no more bytes from the APIs than the limit. The fields before that succeed.
func TestReadingIsBounded(t *testing.T) {
	for name, compressed := range map[string]bool{"plain": false, "gzip": true} {
		bubble(t, name, func(t *testing.T) {
			g := start(t, func(o *options) {
				o.Serve.Bytes.Read, o.Upstream.OperationConcurrency, o.Upstream.Compression = 30_000, 1, compressed
			})
			a := g.Query("{ " + aliases(20, "deposits(perPage: 5, filter: { minAmount: 1 }) { nodes { id } }") + " }")
			failed := 0
			for _, err := range a.Errors {
				if err.Extensions["code"] != "LIMIT_EXCEEDED" || err.Extensions["limit"] != quota.LimitRead {
					t.Errorf("%v", err)
				}
				failed++
			}
			if failed == 0 || failed == 20 {
				t.Errorf("%d of 20 fields failed", failed)
			}
			for _, s := range g.Upstream.Stats() {
				if s.Retries != 0 || s.Breaker != "closed" {
					t.Errorf("the service is treated as failing: %+v", s)
				}
			}
		})
	}
}

// TestMemoryIsBounded: without free memory for requests, an operation is rejected with OVERLOADED. All memory is
// released.
func TestMemoryIsBounded(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.MaxMemory = 2 << 20 }, func(t *testing.T, g *gateway) {
		g.Query("{ deposits(perPage: 1) { nodes { id } } }").WantOK()
		a := g.Query("{ deposits(perPage: 100) { " + aliases(8, "nodes { id pixResponse { qrCodeBase64 } }") + " } }")
		if err := a.WantError("OVERLOADED", errorPath(a)...); err.Extensions["retryable"] != true {
			t.Errorf("%v", err)
		}
		a = g.Query("{ __typename }", variables{"x": strings.Repeat("x", 200<<10)})
		if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Errorf("a large body: status %d, %s", a.Status, a.Body)
		}
		g.wantNoMemory()
		g.Query("{ deposits(perPage: 1) { nodes { id } } }").WantOK()
	})
}

// errorPath is the path of the first error.
func errorPath(a response) []any {
	if len(a.Errors) == 0 {
		return nil
	}
	return a.Errors[0].Path
}

// TestErrorsAreBounded: the number of errors of a response is bounded, and the first ones remain.
func TestErrorsAreBounded(t *testing.T) {
	const limit = 10
	runWith(t, func(o *options) { o.Serve.MaxErrors = limit }, func(t *testing.T, g *gateway) {
		g.replace(sandbox.RouteDeposit, `"acquirer":"`, `"acquirer":5,"was":"`)
		a := g.Query("{ deposits(perPage: 100) { " + aliases(30, "nodes { id acquirer }") + " } }")
		if len(a.Errors) != limit+1 || a.Errors[limit].Extensions["limit"] != "errors" {
			t.Fatalf("%d errors, the last %v", len(a.Errors), a.Errors[len(a.Errors)-1])
		}
		for i, err := range a.Errors[:limit] {
			if fmt.Sprint(err.Path) != fmt.Sprintf("[deposits a0 %d acquirer]", i) {
				t.Errorf("error %d is at %v", i, err.Path)
			}
		}
	})
}
