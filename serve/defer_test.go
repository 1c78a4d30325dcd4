package serve_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/graph/guard/limits"
	"pixgraph/sandbox"
	"pixgraph/serve"
)

// TestDeferredFragments: the parts of operations join to the whole response, in both formats, with the same calls.
func TestDeferredFragments(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		ids := g.transactionIDs(2)
		tests := []struct {
			name, document string
			pending        []string // paths and labels of the first part
		}{
			{"a payment", `transaction(id: $t) { id ... @defer(label: "n") { notifications { nodes { id url } } } }`, []string{"[transaction] n"}},
			{"a named fragment", `transaction(id: $t) { id ...N @defer }`, []string{"[transaction] "}},
			{"with an alias", `p: transaction(id: $t) { id ... @defer { n: notifications { nodes { id } } } }`, []string{"[p] "}},
			{"each element", `transactions(ids: $ts) { id ...N @defer }`, []string{"[transactions 0] ", "[transactions 1] "}},
			{"the root", `... @defer { deposits(first: 1) { totalCount } } transaction(id: $t) { id }`, []string{"[] "}},
			{"everything", `... @defer { transaction(id: $t) { id } }`, []string{"[] "}},
			{"two of one object", `transaction(id: $t) { ... @defer(label: "a") { id a: notifications { nodes { id } } } ...N @defer(label: "b") }`,
				[]string{"[transaction] a", "[transaction] b"}},
			{"the same field twice", `transaction(id: $t) { ...N @defer(label: "a") ...N @defer(label: "b") ...M @defer }`,
				[]string{"[transaction] a", "[transaction] b", "[transaction] "}},
			{"nested", `transaction(id: $t) { ... @defer { notifications { nodes { id ... @defer { transaction { amount } } } } } }`, []string{"[transaction] "}},
			{"within an object that is there",
				`transaction(id: $t) { customer { name } ... @defer { customer { email { value } } notifications { nodes { id } } } }`, []string{"[transaction] "}},
			{"within what is derived from an object that is there",
				`transaction(id: $t) { timeline { source } ... @defer { timeline { at status } notifications { nodes { id } } } }`, []string{"[transaction] "}},
			{"a fragment that is also spread without @defer", `transaction(id: $t) { ... @defer { ...N ...S } ...S }`, []string{"[transaction] "}},
			{"a fragment of two deferred ones",
				`transaction(id: $t) { ... @defer(label: "a") { n: notifications { __typename } ...S } ... @defer(label: "b") { m: notifications { __typename } ...S } }`,
				[]string{"[transaction] a", "[transaction] b"}},
			{"with a list that is there",
				`deposits(first: 1) { totalCount } ... @defer { deposits(first: 1) { nodes { id } } w: withdrawals { totalCount } }`, []string{"[] "}},
			{"with a sum that is there",
				`depositSummary(maxPages: 1) { __typename } ... @defer { depositSummary(maxPages: 1) { count } w: withdrawals { totalCount } }`,
				[]string{"[] "}},
			{"a record alone", `x: transaction(id: $t) { id ... @defer { id notifications { __typename } } }`, []string{"[x] "}},
			{"if true", `transaction(id: $t) { ... @defer(if: $yes) { notifications { nodes { id } } } }`, []string{"[transaction] "}},
			{"if false", `transaction(id: $t) { id ... @defer(if: $no) { notifications { nodes { id } } } }`, nil},
			{"skipped", `transaction(id: $t) { id ...N @defer @skip(if: $yes) }`, nil},
			{"without calls", `transaction(id: $t) { id ... @defer { amount customer { name } } }`, nil},
			{"with calls that are made anyway", `transaction(id: $t) { ...N ... @defer { notifications { nodes { status } } amount } }`, nil},
			{"of a record that is not there", `transaction(id: "00000000-0000-4000-8000-000000000000") { id ...N @defer }`, nil},
			{"with an error", `transaction(id: $t) { id ... @defer { notifications(ids: ["no such id", "missing"]) { nodes { id } links { state } } } }`,
				[]string{"[transaction] "}},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				document := `query($t: ID!, $ts: [ID!]!, $yes: Boolean = true, $no: Boolean = false) { ` + tt.document +
					` u: __typename @include(if: $yes) n: __typename @skip(if: $no) a: transactions(ids: $ts) { id } b: transaction(id: $t) { id } }`
				if strings.Contains(tt.document, "...N") {
					document += ` fragment N on Transaction { notifications { nodes { id } } }`
				}
				if strings.Contains(tt.document, "...S") {
					document += ` fragment S on Transaction { status statusHistory { status } }`
				}
				if strings.Contains(tt.document, "...M") {
					document += ` fragment M on Transaction { notifications { nodes { url } } }`
				}
				vars := variables{"t": ids[0], "ts": ids}
				if tt.pending == nil {
					a := g.QueryWith(http.Header{"Accept": {acceptV02}}, document, vars)
					if a.Header.Get("Content-Type") != "application/json; charset=utf-8" {
						t.Errorf("%s: %s", a.Header.Get("Content-Type"), a.Body)
					}
					return
				}
				var pending []string
				for _, f := range g.wantParts(acceptV02, nil, document, vars)[0].Pending {
					pending = append(pending, fmt.Sprint(f.Path, " ", f.Label))
				}
				if !slices.Equal(pending, tt.pending) {
					t.Errorf("pending %q, want %q", pending, tt.pending)
				}
				if strings.Contains(tt.document, "Summary") { // its pages would be read again
					a := g.QueryWith(http.Header{"Accept": {acceptV01}}, document, vars).WantOK()
					a.At("depositSummary", "count")
					return
				}
				g.wantParts(acceptV01, nil, document, vars)
			})
		}
		g.awaitNoMemory()
	})
}

// payment selects the notifications of payments later.
const payment = `query($ts: [ID!]!) { transactions(ids: $ts) { id ... @defer { notifications { nodes { id } } } } }`

// TestHangingPart: a dispatcher that hangs for the notifications of one record holds neither the first part nor the
// parts of other records. The deadline of the operation ends its part.
func TestHangingPart(t *testing.T) {
	bubble(t, "a record", func(t *testing.T) {
		g := start(t, func(o *options) { o.Upstream.Timeout = time.Hour })
		ids := g.transactionIDs(2)
		hanging := g.Query(payment, variables{"ts": ids[:1]}).WantOK().Text("transactions", 0, "notifications", "nodes", 0, "id")
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteNotification, ID: hanging, Kind: sandbox.FaultHang})
		began := time.Now()
		resp := g.Open(http.Header{"Accept": {acceptV02}, serve.HeaderTimeout: {"10000"}}, payment, variables{"ts": ids})
		next := readParts(t, resp.Header.Get("Content-Type"), resp.Body)
		first, _ := next()
		if len(first.Pending) != 2 {
			t.Fatalf("%+v", first)
		}
		second, _ := next()
		if took := time.Since(began); took != 0 || len(second.Incremental) != 1 || second.Incremental[0].ID != "1" || !second.HasNext {
			t.Errorf("after %s: %+v", took, second)
		}
		last, _ := next()
		errs := last.Incremental[0].Errors
		if took := time.Since(began); took != 10*time.Second || len(errs) != 1 || errs[0].Extensions.Code != "UPSTREAM_TIMEOUT" || last.HasNext {
			t.Errorf("after %s: %+v", took, last)
		}
	})
}

// TestLeavingBetweenParts: a client that leaves ends the calls of its parts, and all memory is released.
func TestLeavingBetweenParts(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		ids := g.transactionIDs(3)
		g.Box.Inject(sandbox.Fault{Service: sandbox.Dispatcher, Kind: sandbox.FaultHang})
		ctx, cancel := context.WithCancel(t.Context())
		body, err := json.Marshal(map[string]any{"query": payment, "variables": variables{"ts": ids}})
		must(t, err)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+"/graphql", strings.NewReader(string(body)))
		must(t, err)
		req.Header = http.Header{"Accept": {acceptV02}, "Content-Type": {"application/json"}, "Authorization": {"Bearer " + g.Token}}
		resp, err := g.HTTP.Do(req)
		must(t, err)
		defer resp.Body.Close()
		if first, _ := readParts(t, resp.Header.Get("Content-Type"), resp.Body)(); len(first.Pending) != 3 {
			t.Fatalf("%+v", first)
		}
		cancel()
		g.awaitNoMemory() // the calls have ended
	})
}

// TestWaysOfParts: parts come over GET, with a registered document, compressed, and with the extensions of the response
// in the last one.
func TestWaysOfParts(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.Trace = true }, func(t *testing.T, g *gateway) {
		vars := variables{"ts": g.transactionIDs(2)}
		parts := g.wantParts(acceptV02, http.Header{"Accept-Encoding": {"identity"}, limits.HeaderCost: {"1"}, serve.HeaderTrace: {"1"}}, payment, vars)
		for i, p := range parts {
			if has := p.Extensions["cost"] != nil && p.Extensions["trace"] != nil; has != (i == len(parts)-1) {
				t.Errorf("part %d: extensions %v", i, p.Extensions)
			}
		}
		if calls := fmt.Sprint(parts[len(parts)-1].Extensions["trace"]); !strings.Contains(calls, "notification") {
			t.Errorf("the trace lacks the calls of parts: %s", calls)
		}
		text, err := json.Marshal(vars)
		must(t, err)
		extensions := fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":"%x"}}`, sha256.Sum256([]byte(payment)))
		for _, query := range []url.Values{
			{"query": {payment}, "variables": {string(text)}, "extensions": {extensions}}, {"variables": {string(text)}, "extensions": {extensions}},
		} {
			a := g.Send(g.request(http.MethodGet, "/graphql?"+query.Encode(), ""), http.Header{"Accept": {acceptV02}, "Accept-Encoding": {"gzip"}})
			if a.Header.Get("Etag") != "" || a.Header.Get("Content-Encoding") != "gzip" || a.Header.Get("Vary") == "" || a.Header.Get("Incremental") != "?1" {
				t.Errorf("%v", a.Header)
			}
			unzipped, err := gzip.NewReader(strings.NewReader(string(a.Body)))
			must(t, err)
			whole, err := io.ReadAll(unzipped)
			must(t, err)
			join(t, incrementalParts(t, a.Header.Get("Content-Type"), strings.NewReader(string(whole))))
		}
	})
}

// TestWholeAnyway: everything else gets one response with all fields: other media types, a gateway without @defer.
func TestWholeAnyway(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		vars := variables{"ts": g.transactionIDs(2)}
		whole := string(g.Query(payment, vars).WantOK().Body)
		for _, accept := range []string{
			"application/json", "*/*", "multipart/mixed;deferSpec=20210101, application/json", "multipart/mixed;incrementalSpec=v0.3, application/json",
			"multipart/mixed;q=0.5, application/json", "multipart/mixed;q=0, application/json", `multipart/mixed;subscriptionSpec="1.0", application/json`,
			"application/graphql-response+json, application/json, multipart/mixed", "application/json;q=0.9, multipart/mixed;q=0.9",
		} {
			if a := g.QueryWith(http.Header{"Accept": {accept}}, payment, vars); string(a.Body) != whole {
				t.Errorf("%s: %s", accept, a.Body)
			}
		}
		events := g.QueryWith(http.Header{"Accept": {"text/event-stream"}}, payment, vars)
		if !strings.Contains(string(events.Body), "data: "+whole) {
			t.Errorf("%s", events.Body)
		}
		for n, want := range map[int]bool{5: true, 6: false} {
			document := `query($ts: [ID!]!) { transactions(ids: $ts) { id ` + strings.Repeat(`... @defer(if: false) { id } `, n) + ` } }`
			if a := g.Query(document, vars); (len(a.Errors) == 0) != want {
				t.Errorf("%d deferred fragments: %s", n, a.Body)
			}
		}
	})
}

// TestFailedPart: a deferred fragment in which a field that cannot be null is invalid has an error and no data. The
// rest of the object stays.
func TestFailedPart(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		g.replace(sandbox.RouteTransaction, `"createdAt"`, `"lacking"`)
		document := `query($t: ID!) { transaction(id: $t) { id ... @defer { createdAt notifications { __typename } } } }`
		for _, accept := range []string{acceptV02, acceptV01} {
			resp := g.Open(http.Header{"Accept": {accept}}, document, variables{"t": id})
			parts := incrementalParts(t, resp.Header.Get("Content-Type"), resp.Body)
			all := join(t, parts)
			if len(parts) != 2 || len(all.failed) != 1 || len(all.errors) != 1 || all.errors[0].Extensions.Code != "UPSTREAM_INVALID_RESPONSE" ||
				fmt.Sprint(all.data) != "map[transaction:map[id:"+id+"]]" {
				t.Errorf("%s: %+v", accept, parts)
			}
		}
	})
}

// TestRepeatedCalls: parts that repeat fields make no call twice, also if calls fail or are not coalesced.
func TestRepeatedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const document = `query($t: ID!) { a: deposits(first: 1) { totalCount }
			... @defer { a: deposits(first: 1) { nodes { id } } t: transaction(id: $t) { id } }
			... @defer { a: deposits(first: 1) { nodes { status } } t: transaction(id: $t) { amount } } }`
		const record = `query($t: ID!) { ... @defer { transaction(id: $t) { id } } ... @defer { transaction(id: $t) { amount } } }`
		for _, status := range []int{http.StatusOK, http.StatusInternalServerError} {
			for _, coalesce := range []bool{true, false} {
				g := start(t, func(o *options) { o.Upstream.Coalesce = coalesce })
				id := g.transactionIDs(1)[0]
				if status != http.StatusOK {
					g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Status: status})
				}
				for range 10 {
					g.wantParts(acceptV01, nil, document, variables{"t": id})
					g.wantParts(acceptV01, nil, record, variables{"t": id})
				}
			}
		}
	})
}

// TestSlowReaderOfParts: a client that does not read its parts has no slot when they are executed.
func TestSlowReaderOfParts(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.MaxOperations = 8 }, func(t *testing.T, g *gateway) {
		document := "{ "
		for i := range 9 {
			document += fmt.Sprintf("a%d: deposits(first: 100) { nodes { id status pixResponse { qrCodeBase64 } } } ", i)
		}
		for range 6 {
			conn := g.write("1.1", acceptV02, document+"... @defer { x: withdrawals(first: 1) { totalCount } } }")
			_, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
			must(t, err)
		}
		g.awaitNoSlot()
		g.Query(`{ deposits(first: 1) { totalCount } }`).WantOK()
	})
}
