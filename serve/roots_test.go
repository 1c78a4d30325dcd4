package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/test/gatewaytest"
)

// TestRootFields: the order of root fields, their nulls and errors, whether gqlgen executes some of them or not.
func TestRootFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := start(t)
		ledger := first.Box.Ledger()
		transaction, notification := ledger.Transactions()[0].ID, ledger.Notifications()[0].ID
		linked := fmt.Sprintf(`transaction(id: %q) { id notifications { nodes { id } } }`, transaction)
		for _, introspection := range []bool{true, false} {
			g := &gateway{gatewaytest.Start(t, func(o *options) {
				o.Box, o.Network, o.Serve.Introspection = first.Box, first.Network, introspection
			})}
			hidden := func(errors string) string {
				if introspection {
					return ""
				}
				return errors
			}
			for _, tt := range []struct{ name, document, fields, errors string }{
				{"only the name of the type", `{ __typename }`, "__typename", ""},
				{
					"records and the name of the type",
					`{ a: deposits { nodes { id } } ` + linked + ` __typename z: notification(id: "` + notification + `") { id } }`,
					"a transaction __typename z", "",
				},
				{
					"the name of the type twice", `{ __typename x: __typename ` + linked + ` deposits(perPage: 2) { totalCount } }`,
					"__typename x transaction deposits", "",
				},
				{
					"introspection", `{ deposits { totalCount } __schema { queryType { name } } __type(name: "Deposit") { name } }`,
					"deposits " + hidden("-") + "__schema " + hidden("-") + "__type", hidden("FORBIDDEN __schema, FORBIDDEN __type"),
				},
				{"introspection alone", `{ __schema { queryType { name } } }`, hidden("-") + "__schema", hidden("FORBIDDEN __schema")},
				{
					"introspection of no type", `{ deposits { totalCount } __type(name: "Nothing") { name } }`, "deposits -__type",
					hidden("FORBIDDEN __type"),
				},
				{
					"fields that are merged",
					`{ ` + linked + ` ...F } fragment F on Query { transaction(id: "` + transaction + `") { status } deposits { totalCount } }`,
					"transaction deposits", "",
				},
				{
					"conditions",
					`query($no: Boolean = false) { deposits { totalCount } ` + linked + ` withdrawals @include(if: $no) { totalCount } }`,
					"deposits transaction", "",
				},
				{"no field at all", `{ deposits @include(if: false) { totalCount } }`, "", ""},
				{
					"an invalid argument",
					`{ deposits { totalCount } b: deposits(perPage: 0) { totalCount } ` + linked + ` c: deposits(after: "x") { totalCount } }`,
					"deposits -b transaction -c", "BAD_USER_INPUT b, BAD_USER_INPUT c",
				},
				{
					"ids without records", `{ transactions(ids: ["x", "` + transaction + `"]) { id } transaction(id: "x") { id } d: transaction(id: 5) { id } }`,
					"transactions -transaction -d", "BAD_USER_INPUT transactions.0, BAD_USER_INPUT transaction, BAD_USER_INPUT d",
				},
			} {
				gatewaytest.Row(t, fmt.Sprintf("%s, introspection %t", tt.name, introspection), func(t testing.TB) {
					a := g.within(t).Query(tt.document)
					var errors []string
					for _, e := range a.Errors {
						errors = append(errors, fmt.Sprint(e.Extensions["code"], " ")+strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Path), " ", "."), "[]"))
					}
					if fields := rootFields(t, a.Body); fields != tt.fields || strings.Join(errors, ", ") != tt.errors {
						t.Errorf("fields %q, errors %q, want %q, %q: %s", fields, errors, tt.fields, tt.errors, a.Body)
					}
				})
			}
		}
	})
}

// rootFields are the response keys of the data, in order; after a minus sign those that are null.
func rootFields(t testing.TB, body []byte) string {
	t.Helper()
	var envelope struct{ Data json.RawMessage }
	must(t, json.Unmarshal(body, &envelope))
	decoder := json.NewDecoder(bytes.NewReader(envelope.Data))
	_, err := decoder.Token()
	must(t, err)
	var keys []string
	for decoder.More() {
		key, err := decoder.Token()
		must(t, err)
		var value json.RawMessage
		must(t, decoder.Decode(&value))
		if string(value) == "null" {
			key = "-" + key.(string)
		}
		keys = append(keys, key.(string))
	}
	return strings.Join(keys, " ")
}
