package pipeline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pixgraph/internal/quota"
	"pixgraph/upstream/sandbox"
)

// aliases is a selection of so many aliases of a field.
func aliases(n int, field string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d: %s ", i, field)
	}
	return b.String()
}

// TestAnswersAreBounded: an answer that would be longer than it may is null as a whole, with the limit, whichever way it is
// written; one that is within it is as it was.
func TestAnswersAreBounded(t *testing.T) {
	const most = 100_000
	g := start(t, func(o *options) { o.Pipeline.Bytes.Answer = most })
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
		over      bool
	}{
		"texts":                            {`transaction(id: "` + id + `") { ` + aliases(40, "errorMessage") + ` }`, true},
		"free-form JSON":                   {`transaction(id: "` + id + `") { ` + aliases(40, "metadata") + ` }`, true},
		"several root fields":              {aliases(40, `transaction(id: "`+id+`") { metadata }`), true},
		"next to notifications":            {`transaction(id: "` + id + `") { notifications { complete } ` + aliases(40, "metadata") + ` }`, true},
		"records":                          {`deposits(perPage: 100) { ` + aliases(30, "nodes { id acquirer }") + ` }`, true},
		"edges":                            {`deposits(perPage: 100) { ` + aliases(30, "edges { cursor node { id } }") + ` }`, true},
		"statuses":                         {`deposits(perPage: 100) { nodes { ` + aliases(20, "statusHistory { status date }") + ` } }`, true},
		"not quite":                        {`transaction(id: "` + id + `") { ` + aliases(15, "metadata") + ` }`, false},
		"not quite, next to notifications": {`transaction(id: "` + id + `") { notifications { complete } ` + aliases(15, "metadata") + ` }`, false},
		"not quite, several":               {aliases(15, `transaction(id: "`+id+`") { metadata }`), false},
	} {
		t.Run(name, func(t *testing.T) {
			a := g.Query("{ " + tt.selection + " }")
			if !tt.over {
				a.WantOK()
				return
			}
			refused := a.WantError("LIMIT_EXCEEDED")
			if refused.Extensions["limit"] != quota.LimitAnswer || fmt.Sprint(refused.Extensions["value"]) != fmt.Sprint(most) {
				t.Errorf("%v", refused.Extensions)
			}
			if a.Data != nil || a.Status != http.StatusOK || !bytes.Contains(a.Body, []byte(`"data":null`)) {
				t.Errorf("status %d, %d bytes", a.Status, len(a.Body))
			}
		})
	}
	if held, _ := g.Handler.Memory(); held != 0 {
		t.Errorf("%d bytes are held by nobody", held)
	}
}

// TestReadingIsBounded: an operation reads no more from the APIs than it may; what it had read until then is answered.
func TestReadingIsBounded(t *testing.T) {
	for name, compressed := range map[string]bool{"plain": false, "gzip": true} {
		t.Run(name, func(t *testing.T) { testReadingIsBounded(t, compressed) })
	}
}

func testReadingIsBounded(t *testing.T, compressed bool) {
	g := start(t, func(o *options) {
		o.Pipeline.Bytes.Read, o.Upstream.OperationConcurrency, o.Upstream.Compression = 30_000, 1, compressed
	})
	a := g.Query("{ " + aliases(20, "deposits(perPage: 5, filter: { minAmount: 1 }) { nodes { id } }") + " }")
	refused := 0
	for _, err := range a.Errors {
		if err.Extensions["code"] != "LIMIT_EXCEEDED" || err.Extensions["limit"] != quota.LimitRead {
			t.Errorf("%v", err)
		}
		refused++
	}
	if refused == 0 || refused == 20 {
		t.Errorf("%d of 20 fields were refused", refused)
	}
	for _, s := range g.Upstream.Stats() {
		if s.Retries != 0 || s.Breaker != "closed" {
			t.Errorf("the service is blamed: %+v", s)
		}
	}
}

// TestMemoryIsShared: where there is no memory left an operation is refused with OVERLOADED, and everything is given back.
func TestMemoryIsShared(t *testing.T) {
	g := start(t, func(o *options) { o.Pipeline.MaxMemory = 2 << 20 })
	g.Query("{ deposits(perPage: 1) { nodes { id } } }").WantOK()
	a := g.Query("{ deposits(perPage: 100) { " + aliases(8, "nodes { id pixResponse { qrCodeBase64 } }") + " } }")
	if refused := a.WantError("OVERLOADED", errorPath(a)...); refused.Extensions["retryable"] != true {
		t.Errorf("%v", refused)
	}
	if a := g.Query("{ __typename }", variables{"x": strings.Repeat("x", 200<<10)}); a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
		t.Errorf("a large body: status %d, %s", a.Status, a.Body)
	}
	if held, _ := g.Handler.Memory(); held != 0 {
		t.Errorf("%d bytes are held by nobody", held)
	}
	g.Query("{ deposits(perPage: 1) { nodes { id } } }").WantOK()
}

// errorPath is the path of the first error.
func errorPath(a response) []any {
	if len(a.Errors) == 0 {
		return nil
	}
	return a.Errors[0].Path
}

// TestErrorsAreBounded: the errors of an answer stop at their bound, on either way, and the first ones stay.
func TestErrorsAreBounded(t *testing.T) {
	const most = 10
	g := start(t, func(o *options) { o.Pipeline.MaxErrors = most })
	g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Mutate: func(body []byte) []byte {
		return bytes.ReplaceAll(body, []byte(`"acquirer":"`), []byte(`"acquirer":5,"was":"`))
	}})
	a := g.Query("{ deposits(perPage: 100) { " + aliases(30, "nodes { id acquirer }") + " } }")
	if len(a.Errors) != most+1 || a.Errors[most].Extensions["limit"] != "errors" {
		t.Fatalf("%d errors, the last %v", len(a.Errors), a.Errors[len(a.Errors)-1])
	}
	for i, err := range a.Errors[:most] {
		if fmt.Sprint(err.Path) != fmt.Sprintf("[deposits a0 %d acquirer]", i) {
			t.Errorf("error %d is at %v", i, err.Path)
		}
	}
}
