package pipeline_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"pixgraph/test/gatewaytest"
)

// TestRootFieldsOfBothExecutors: an operation whose root fields are executed by the fast path, by gqlgen, or by both
// has the response that it has without the fast path: the order of the fields, null, and the errors.
func TestRootFieldsOfBothExecutors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := start(t)
		withBox := func(introspection, reference bool) *gateway {
			return &gateway{gatewaytest.Start(t, func(o *options) {
				o.Box, o.Network, o.Pipeline.Introspection, o.Pipeline.WithoutFastPath = first.Box, first.Network, introspection, reference
			})}
		}
		ledger := first.Box.Ledger()
		transaction, notification := ledger.Transactions()[0].ID, ledger.Notifications()[0].ID
		linked := fmt.Sprintf(`transaction(id: %q) { id notifications { nodes { id } } }`, transaction)
		for _, introspection := range []bool{true, false} {
			fast, reference := withBox(introspection, false), withBox(introspection, true)
			for _, tt := range []struct{ name, document string }{
				{"only the name of the type", `{ __typename }`},
				{"fields of both", `{ a: deposits { nodes { id } } ` + linked + ` __typename z: notification(id: "` + notification + `") { id } }`},
				{"gqlgen first", `{ __typename x: __typename ` + linked + ` deposits(perPage: 2) { totalCount } }`},
				{"introspection", `{ deposits { totalCount } __schema { queryType { name } } __type(name: "Deposit") { name } }`},
				{"introspection alone", `{ __schema { queryType { name } } }`},
				{"introspection of no type", `{ deposits { totalCount } __type(name: "Nothing") { name } }`},
				{
					"fields that are merged",
					`{ ` + linked + ` ...F } fragment F on Query { transaction(id: "` + transaction + `") { status } deposits { totalCount } }`,
				},
				{"conditions", `query($no: Boolean = false) { deposits { totalCount } ` + linked + ` withdrawals @include(if: $no) { totalCount } }`},
				{"no field at all", `{ deposits @include(if: false) { totalCount } }`},
				{"an invalid argument", `{ deposits { totalCount } b: deposits(perPage: 0) { totalCount } ` + linked + ` c: deposits(after: "x") { totalCount } }`},
				{
					"ids without records",
					`{ transactions(ids: ["x", "` + transaction + `"]) { id } transaction(id: "x") { notifications { __typename } } d: transaction(id: 5) { id } }`,
				},
			} {
				gatewaytest.Row(t, fmt.Sprintf("%s, introspection %t", tt.name, introspection), func(t testing.TB) {
					header := http.Header{"X-Request-Id": {"both"}} // which errors repeat
					got, want := fast.within(t).QueryWith(header, tt.document), reference.within(t).QueryWith(header, tt.document)
					if !bytes.Equal(got.Body, want.Body) || got.Status != want.Status {
						t.Errorf("%d %s\nwithout the fast path: %d %s", got.Status, got.Body, want.Status, want.Body)
					}
				})
			}
		}
	})
}
