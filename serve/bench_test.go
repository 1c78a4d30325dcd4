package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pixgraph/sandbox/ledger"
)

// BenchmarkAnswer measures a whole request without the client's connection: parsing (cached), one call to an API over
// loopback, and the response.
func BenchmarkAnswer(b *testing.B) {
	d := newDifferential(b, true)
	records := ledger.New(ledger.Config{Records: 100})
	var deposits []string
	for _, entry := range records.Deposits() {
		deposits = append(deposits, string(entry.JSON()))
	}
	transaction := records.Transactions()[0]
	d.bodies = map[string][]byte{
		"/deposit":                       fmt.Appendf(nil, `{"total":100,"totalPages":1,"currentPage":1,"perPage":100,"data":[%s]}`, strings.Join(deposits, ",")),
		"/transaction/" + transaction.ID: transaction.JSON(),
	}
	var ids []string
	for i := range 50 {
		id := fmt.Sprintf("n-%d", i)
		d.bodies["/request/"+id] = []byte(notification(id, transaction.ID))
		ids = append(ids, strconv.Quote(id))
	}
	const fields = "id amount status createdAt acquirer isInfoProduct"
	var representations []representation
	var hundred []string
	for _, entry := range records.Transactions()[:100] {
		d.bodies["/transaction/"+entry.ID] = entry.JSON()
		representations = append(representations, representation{"__typename": "Transaction", "id": entry.ID})
		hundred = append(hundred, entry.ID)
	}
	for _, query := range []struct {
		name, document string
		variables      variables
	}{
		{"OneRecord", fmt.Sprintf("{ transaction(id: %q) { id amount status acquirer createdAt updatedAt isInfoProduct paymentMethod "+
			"payer { name document } } }", transaction.ID), nil},
		{"SixFields", "{ deposits { nodes { id amount status createdAt acquirer depositOrigin } } }", nil},
		{"FiftyNotifications", "{ notifications(ids: [" + strings.Join(ids, ",") + "]) { id status } }", nil},
		{"HundredTransactions", "query($a: [ID!]!, $b: [ID!]!) { a: transactions(ids: $a) { " + fields + " } b: transactions(ids: $b) { " + fields + " } }",
			variables{"a": hundred[:50], "b": hundred[50:]}},
		{"HundredEntities", "query($r: [_Any!]!) { _entities(representations: $r) { ... on Transaction { " + fields + " } } }",
			variables{"r": representations}},
		{"AllFields", "{ deposits { nodes { " + allFields(d.schema.Schema, "Deposit") + " } } }", nil},
	} {
		body, err := json.Marshal(map[string]any{"query": query.document, "variables": query.variables})
		must(b, err)
		if response := send(d.one, "t", body); bytes.Contains(response, []byte("errors")) {
			b.Fatalf("%.300s", response)
		}
		b.Run(query.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				send(d.one, "t", body)
			}
		})
	}
}
