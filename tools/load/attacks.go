package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"pixgraph/internal/process"
	"pixgraph/sandbox"
	"pixgraph/sandbox/ledger"
	"pixgraph/upstream/client"
)

// scenario is a gateway over a sandbox, and the requests that it gets.
type scenario struct {
	box     *sandbox.Sandbox
	gateway *process.Process
}

// requests returns a request of a document for each record.
func requests(name, token string, records []*ledger.Entry) (all [][]byte) {
	for _, id := range idsOf(records) {
		all = append(all, post("/graphql", token, operation{Query: document(name), Variables: map[string]any{"id": id}}))
	}
	return all
}

// idsOf returns the ids of records.
func idsOf(entries []*ledger.Entry) (ids []any) {
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// attack is what a large caller does.
type attack struct {
	name     string
	clients  int
	callers  int           // that the clients are; 0 for one
	sockets  bool          // whether its requests are messages of WebSockets
	leave    time.Duration // after which its clients close their connections; 0 for never
	backoff  bool          // whether its clients wait after an error
	fault    sandbox.Fault // of the calls that its token makes; none with the zero value
	requests func(s *scenario, token string) [][]byte
	usual    func(s *scenario, token string) [][]byte // instead of queries for a transaction each; nil for those
	flags    []string                                 // of the gateway
	outage   bool                                     // whether the fault is one of all callers, and the small one needs the dispatcher only
}

// pixText is a Pix code whose check is right.
const pixText = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D"

// queried is the number of transactions that queries read.
const queried = 1000

// transactions returns the usual requests, each for another record.
func transactions(s *scenario, token string) [][]byte {
	return requests("Q1", token, s.box.Ledger().Transactions()[:queried])
}

// lookups returns requests of a document for so many transactions each, with headers.
func lookups(text string, each int, headers ...string) func(*scenario, string) [][]byte {
	return func(s *scenario, token string) (all [][]byte) {
		for ids := range slices.Chunk(idsOf(s.box.Ledger().Transactions()[:50*each]), each) {
			all = append(all, post("/graphql", token, operation{Query: text, Variables: map[string]any{"ids": ids}}, headers...))
		}
		return all
	}
}

// documentOf returns a request of a document, with headers.
func documentOf(text string, headers ...string) func(*scenario, string) [][]byte {
	return func(_ *scenario, token string) [][]byte {
		return [][]byte{post("/graphql", token, operation{Query: text}, headers...)}
	}
}

// aliased returns a document with a selection by several names.
func aliased(n int, selection string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, " a%d:%s", i, selection)
	}
	return b.String() + " }"
}

func attacks() []attack {
	const aliases = 4
	introspection := aliased(aliases, "__schema{types{name fields{name args{name type{name}} type{name}}}}")
	statements := lookups(document("statement"), 16)
	failing := func(s *scenario, token string) [][]byte { return transactions(s, token)[:1] }
	bodies := func(_ *scenario, token string) [][]byte {
		escapes := strings.Repeat("\x01", 150<<10) // each takes six bytes
		return [][]byte{post("/graphql", token, operation{Query: "{__typename}", Variables: map[string]any{"unknown": escapes}})}
	}
	lists := func(_ *scenario, token string) (all [][]byte) {
		for n := range 32 {
			var b strings.Builder
			for i := range client.DefaultOperationConcurrency {
				fmt.Fprintf(&b, " a%d: deposits(filter: {minAmount: %d}) { totalCount }", i, client.DefaultOperationConcurrency*n+i+1)
			}
			all = append(all, post("/graphql", token, operation{Query: "{" + b.String() + " }"}))
		}
		return all
	}
	summaries := "depositSummary(groupBy: [DAY, STATUS, ORIGIN]) { count amount groups { day count amount } }"
	const records = "query ($ids: [ID!]!) { transactions(ids: $ids) { id %s } }"
	whole := lookups(fmt.Sprintf(records, "customer { name } notifications { nodes { id status } }"), 10)
	parts := lookups(fmt.Sprintf(records, "... @defer { customer { name } notifications { nodes { id ... @defer { status } } } }"), 10,
		"Accept: multipart/mixed; deferSpec=20220824, application/json")
	messages := func(_ *scenario, token string) [][]byte {
		all := [][]byte{[]byte(`{"type":"connection_init","payload":{"Authorization":"Bearer ` + token + `"}}`)}
		for n := range 100 {
			all = append(all, fmt.Appendf(nil, `{"type":"subscribe","id":"%d","payload":{"query":"{ deposits(filter: {minAmount: %d}) { nodes { id amount status } } }"}}`, n+1, n))
		}
		return all
	}
	tool := func(method string) func(*scenario, string) [][]byte {
		return func(_ *scenario, token string) [][]byte {
			return [][]byte{message("/mcp", token, []byte(`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`), "Accept: application/json, text/event-stream")}
		}
	}
	assistants := []string{"--mcp=on", "--public-url=http://127.0.0.1:8080"}
	paged := []string{"--paging-page-param=page", "--paging-per-page-param=perPage"}
	return []attack{
		{name: "failing record", clients: 8, fault: sandbox.Fault{Status: http.StatusInternalServerError}, requests: failing},
		{name: "hanging record", clients: 32, fault: sandbox.Fault{Kind: sandbox.FaultHang}, requests: failing},
		{name: "slow lists", clients: 32, fault: sandbox.Fault{Latency: 3 * time.Second}, requests: lists},
		{name: "introspection", clients: 300, requests: documentOf(introspection)},
		{name: "introspection next to a call", clients: 300, fault: sandbox.Fault{Latency: 3 * time.Second}, requests: documentOf(introspection[:len(introspection)-1] + "deposits { totalCount } }")},
		{name: "large bodies", clients: 64, requests: bodies},
		{name: "compressed responses", clients: 64, requests: documentOf(document("Q3"), "Accept-Encoding: gzip"), flags: paged},
		{name: "downloads", clients: 64, requests: documentOf("{ deposits { nodes { id amount status } } }", "Accept: text/csv"), flags: paged},
		{name: "16 records each", clients: 100, requests: statements},
		{name: "clients that leave", clients: 48, leave: 20 * time.Millisecond, requests: statements},
		{name: "connections that leave", clients: 48, leave: 2 * time.Millisecond, requests: transactions},
		{name: "all fields", clients: 64, requests: documentOf(document("Q3")), flags: paged},
		{name: "twelve fields of lists", clients: 48, requests: documentOf("{ deposits { nodes { id amount status acquirer createdAt updatedAt amountPaid paymentDate depositOrigin endToEnd paymentMethod feeAmount } } }")},
		{name: "sum of 2,000 records", clients: 4, requests: documentOf("{ " + summaries + " }"), flags: paged},
		{name: "ten sums", clients: 4, requests: documentOf(aliased(10, summaries)), flags: paged},
		{name: "Pix codes", clients: 48, requests: documentOf(aliased(50, `pixCode(text: "`+pixText+`") { problems { code } amount merchantName }`))},
		{name: "deferred parts", clients: 48, requests: parts, usual: whole, flags: []string{"--links-metadata-pointer=/notificationIds"}},
		{name: "operations of WebSockets", clients: 2, sockets: true, requests: messages},
		{name: "pings of assistants", clients: 48, requests: tool("ping"), flags: assistants},
		{name: "tools of assistants", clients: 48, requests: tool("tools/list"), flags: assistants},
		{name: "heavy lists", clients: 200, callers: 20, requests: documentOf(document("heavy")), flags: append(paged, "--limits-memory=98MiB")},
	}
}

// outages are what clients of the core do while it hangs. Calls that hang never get a response, like calls that a
// service has lost.
func outages() []attack {
	hang := sandbox.Fault{Service: sandbox.Core, Kind: sandbox.FaultHang}
	return []attack{
		{name: "clients with backoff", outage: true, clients: 200, callers: 20, fault: hang, requests: transactions, backoff: true},
		{name: "clients without backoff", outage: true, clients: 200, callers: 20, fault: hang, requests: transactions},
	}
}
