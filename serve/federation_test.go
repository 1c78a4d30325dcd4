package serve_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/graph/guard/limits"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

func subgraph(o *options) { o.Serve.Federation = true }

type representation = map[string]any

const entitiesDocument = `query($r: [_Any!]!) { _entities(representations: $r) { __typename
	... on Transaction { id amount } ... on Withdrawal { id amount } ... on Notification { id referenceId } } }`

// TestEntities: a representation that leads to no record is null, with an error at its index, and others are not
// affected. The same record is fetched once.
func TestEntities(t *testing.T) {
	runWith(t, subgraph, func(t *testing.T, g *gateway) {
		transaction, withdrawal, notification := g.transactionIDs(1)[0], g.Box.Ledger().Withdrawals()[0].ID, g.Box.Ledger().Notifications()[0].ID
		const missing = "00000000-0000-4000-8000-000000000000"
		tests := []struct {
			name           string
			representation any
			id             string // of the record; "" for null
			code, input    string // of the error
		}{
			{"a transaction", representation{"__typename": "Transaction", "id": transaction}, transaction, "", ""},
			{"the same in upper case", representation{"__typename": "Transaction", "id": strings.ToUpper(transaction)}, transaction, "", ""},
			{"a withdrawal", representation{"__typename": "Withdrawal", "id": withdrawal}, withdrawal, "", ""},
			{"a notification", representation{"__typename": "Notification", "id": notification}, notification, "", ""},
			{"with more members", representation{"id": transaction, "amount": 1, "x": []any{representation{}}, "__typename": "Transaction"}, transaction, "", ""},
			{"a record that does not exist", representation{"__typename": "Transaction", "id": missing}, "", "NOT_FOUND", ""},
			{"a key that is null", representation{"__typename": "Transaction", "id": nil}, "", "BAD_USER_INPUT", "id"},
			{"no key", representation{"__typename": "Transaction"}, "", "BAD_USER_INPUT", "id"},
			{"an invalid key", representation{"__typename": "Transaction", "id": "x"}, "", "BAD_USER_INPUT", "id"},
			{"an integer as key", representation{"__typename": "Withdrawal", "id": 1}, "", "BAD_USER_INPUT", "id"},
			{"an object as key", representation{"__typename": "Notification", "id": representation{"id": notification}}, "", "BAD_USER_INPUT", "id"},
			{"a type that is no entity", representation{"__typename": "Query", "id": transaction}, "", "BAD_USER_INPUT", "__typename"},
			{"a type without a lookup", representation{"__typename": "Deposit", "id": transaction}, "", "BAD_USER_INPUT", "__typename"},
			{"the union", representation{"__typename": "_Entity", "id": transaction}, "", "BAD_USER_INPUT", "__typename"},
			{"a type in another case", representation{"__typename": "transaction", "id": transaction}, "", "BAD_USER_INPUT", "__typename"},
			{"an empty type", representation{"__typename": "", "id": transaction}, "", "BAD_USER_INPUT", "__typename"},
			{"a type that is no string", representation{"__typename": 1, "id": transaction}, "", "BAD_USER_INPUT", "__typename"},
			{"no type", representation{"id": transaction}, "", "BAD_USER_INPUT", "__typename"},
			{"a string", transaction, "", "BAD_USER_INPUT", "__typename"},
			{"a list", []any{transaction}, "", "BAD_USER_INPUT", "__typename"},
		}
		var all []any
		for _, tt := range tests {
			all = append(all, tt.representation)
		}
		a := g.Query(entitiesDocument, variables{"r": all})
		errors := 0
		for i, tt := range tests {
			entity := a.At("_entities", i)
			if (entity == nil) != (tt.id == "") || entity != nil && !strings.EqualFold(a.Text("_entities", i, "id"), tt.id) {
				t.Errorf("%s: %v", tt.name, entity)
			}
			if tt.code == "" {
				continue
			}
			errors++
			if err := a.WantError(tt.code, "_entities", i); err.Extensions["input"] != nil != (tt.input != "") || tt.input != "" && err.Extensions["input"] != tt.input {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		if len(a.Errors) != errors {
			t.Errorf("%d errors, want %d: %v", len(a.Errors), errors, a.Errors)
		}
		calls := g.Calls()
		slices.Sort(calls)
		want := fmt.Sprintf("core /core/v1/transaction/%s|core /core/v1/transaction/%s|core /core/v1/withdrawal?id=%s|dispatcher /dispatcher/v1/request/%s",
			missing, transaction, withdrawal, notification)
		if got := strings.Join(calls, "|"); got != want {
			t.Errorf("calls %s, want %s", got, want)
		}
	})
}

// TestRepresentations: how a document may give representations, and which of them are errors of the request.
func TestRepresentations(t *testing.T) {
	runWith(t, subgraph, func(_ *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		one := representation{"__typename": "Transaction", "id": id}
		tests := []struct {
			name, document string
			variables      variables
			want           string // ids, or the code of the only error
		}{
			{"literals", `{ _entities(representations: [{__typename: "Transaction", id: "ID"}, {id: "ID", __typename: "Transaction"}]) { ...T } }`, nil, "[ID ID]"},
			{"a variable in a literal",
				`query($id: ID!) { _entities(representations: [{__typename: "Transaction", id: $id}]) { ...T } }`, variables{"id": id}, "[ID]"},
			{"a variable for each", `query($a: _Any!) { _entities(representations: [$a, $a]) { ...T } }`, variables{"a": one}, "[ID ID]"},
			{"one that is no list", `query($r: [_Any!]!) { _entities(representations: $r) { ...T } }`, variables{"r": one}, "[ID]"},
			{"none", `query($r: [_Any!]!) { _entities(representations: $r) { ...T } }`, variables{"r": []any{}}, "[]"},
			{"a default", `query($r: [_Any!]! = [{__typename: "Transaction", id: "ID"}]) { _entities(representations: $r) { ...T } }`, nil, "[ID]"},
			{"null in the list", `query($r: [_Any!]!) { _entities(representations: $r) { ...T } }`, variables{"r": []any{one, nil}}, "GRAPHQL_VALIDATION_FAILED"},
			{"a literal null in the list", `{ _entities(representations: [null]) { ...T } }`, nil, "GRAPHQL_VALIDATION_FAILED"},
			{"null for one with a default", `query($a: _Any = "x") { _entities(representations: [$a]) { ...T } }`, variables{"a": nil}, "BAD_USER_INPUT"},
			{"null", `query($r: [_Any!]!) { _entities(representations: $r) { ...T } }`, variables{"r": nil}, "GRAPHQL_VALIDATION_FAILED"},
			{"a number beyond 64 bits",
				`{ _entities(representations: [{__typename: "Transaction", id: 99999999999999999999}]) { ...T } }`, nil, "GRAPHQL_VALIDATION_FAILED"},
			{"fragments on the union",
				`{ _entities(representations: [{__typename: "Transaction", id: "ID"}]) { ... on _Entity { ... on Withdrawal { x: id } ...T } } }`, nil, "[ID]"},
			{"a fragment on another type", `{ _entities(representations: []) { ...T ... on Deposit { id } } }`, nil, "GRAPHQL_VALIDATION_FAILED"},
			{"an undefined variable", `{ _entities(representations: [{__typename: "Transaction", id: $x}]) { ...T } }`, nil, "GRAPHQL_VALIDATION_FAILED"},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				document := strings.ReplaceAll(tt.document, "ID", id)
				document = strings.ReplaceAll(document, "$id: "+id, "$id: ID")
				a := g.Query(document+` fragment T on Transaction { id }`, tt.variables)
				if len(a.Errors) > 0 {
					if got := fmt.Sprint(a.Errors[0].Extensions["code"]); len(a.Errors) > 1 || got != tt.want {
						t.Errorf("%v", a.Errors)
					}
					return
				}
				ids := []string{}
				for i := range a.List("_entities") {
					ids = append(ids, a.Text("_entities", i, "id"))
				}
				if got := fmt.Sprint(ids); got != strings.ReplaceAll(tt.want, "ID", id) {
					t.Error(got)
				}
			})
		}
	})
}

// TestEntityMemory: representations of one record take the memory of one fetch.
func TestEntityMemory(t *testing.T) {
	runWith(t, with(subgraph, func(o *options) { o.Serve.MaxMemory = 8 << 20 }), func(_ *testing.T, g *gateway) {
		same := slices.Repeat([]representation{{"__typename": "Transaction", "id": g.transactionIDs(1)[0]}}, 1000)
		g.Query(`query($r: [_Any!]!) { _entities(representations: $r) { ... on Transaction { id } } }`, variables{"r": same}).WantOK()
	})
}

// TestEntityErrors: errors are at their paths, in the order of the fields of each record's type, up to the limit.
func TestEntityErrors(t *testing.T) {
	runWith(t, subgraph, func(t *testing.T, g *gateway) {
		transaction, withdrawal := g.transactionIDs(1)[0], g.Box.Ledger().Withdrawals()[0].ID
		g.Box.Inject(sandbox.Fault{Route: "transaction", Body: fmt.Appendf(nil, `{"id":%q,"acquirerCode":5,"externalCode":5}`, transaction)})
		a := g.Query(`query($r: [_Any!]!) { _entities(representations: $r) {
			... on Withdrawal { externalCode acquirerCode } ... on Transaction { acquirerCode id externalCode } } }`,
			variables{"r": []representation{{"__typename": "Withdrawal", "id": withdrawal}, {"__typename": "Transaction", "id": transaction}}})
		if a.At("_entities", 0) == nil || a.Text("_entities", 1, "id") != transaction {
			t.Errorf("%s", a.Body)
		}
		const code = "UPSTREAM_INVALID_RESPONSE"
		if got := fmt.Sprint(linkErrors(a)); got != "[[_entities 1 acquirerCode] "+code+" [_entities 1 externalCode] "+code+"]" {
			t.Error(got)
		}
		a = g.Query(`query($r: [_Any!]!) { _entities(representations: $r) { ... on Transaction { acquirerCode amount createdAt } } }`,
			variables{"r": []representation{{"__typename": "Transaction", "id": transaction}}})
		if got := fmt.Sprint(linkErrors(a)); a.At("_entities", 0) != nil || got != "[[_entities 0 amount] "+code+"]" {
			t.Errorf("%s: %s", got, a.Body)
		}
		many := make([]representation, 150)
		for i := range many {
			many[i] = representation{"__typename": "Query"}
		}
		a = g.Query(entitiesDocument, variables{"r": many})
		if len(a.List("_entities")) != 150 || len(a.Errors) != 101 || a.Errors[100].Extensions["limit"] != "errors" {
			t.Errorf("%d errors, the last %v", len(a.Errors), a.Errors[len(a.Errors)-1])
		}
	})
}

// TestEntityCost: a representation costs one call, and the calls below it are counted for the records of their type.
func TestEntityCost(t *testing.T) {
	const limit = 120
	runWith(t, with(subgraph, func(o *options) { o.Serve.Limits.MaxCost = limit }), func(_ *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		representations := func(transactions, notifications int) (all []representation) {
			for range transactions {
				all = append(all, representation{"__typename": "Transaction", "id": id})
			}
			for i := range notifications {
				all = append(all, representation{"__typename": "Notification", "id": fmt.Sprint(i)})
			}
			return append(all, representation{"__typename": "Query"})
		}
		const document = `query($r: [_Any!]!) { _entities(representations: $r) {
			... on Transaction { id %s } ... on Notification { transaction { id } } } }`
		for _, tt := range []struct {
			name, below                 string
			transactions, notifications int
			want                        int
		}{
			{"records", "", 100, 0, 101},
			{"links of records of one type", "", 3, 4, 12},
			{"notifications of one type", "notifications { nodes { id } }", 2, 1, 105},
			{"notifications above the limit", "notifications { nodes { id } }", 3, 0, 154},
			{"records above the limit", "", 120, 0, 121},
		} {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				a := g.QueryWith(http.Header{limits.HeaderCost: {"1"}}, fmt.Sprintf(document, tt.below),
					variables{"r": representations(tt.transactions, tt.notifications)})
				if !strings.Contains(string(a.Body), fmt.Sprintf(`"cost":{"upstreamCalls":%d,`, tt.want)) {
					t.Errorf("%s", a.Body)
				}
				if tt.want > limit {
					a.WantError("LIMIT_EXCEEDED")
					g.WantNoCalls()
				}
			})
		}
	})
}

// TestEntityScope: without the scope only the notifications are FORBIDDEN, without a call.
func TestEntityScope(t *testing.T) {
	runWith(t, subgraph, func(t *testing.T, g *gateway) {
		transaction, notification := g.transactionIDs(1)[0], g.Box.Ledger().Notifications()[0].ID
		token := g.Box.Issuer().Mint(issuer.Grant{Subject: "x"})
		a := g.QueryAs(token, entitiesDocument, variables{"r": []representation{
			{"__typename": "Notification", "id": notification}, {"__typename": "Transaction", "id": transaction},
		}})
		if err := a.WantError("FORBIDDEN", "_entities", 0); err.Extensions["requiredScope"] != "get_dispatcher" || len(a.Errors) != 1 {
			t.Errorf("%v", a.Errors)
		}
		if a.At("_entities", 1) == nil {
			t.Errorf("%s", a.Body)
		}
		g.WantCalls(1, token)
	})
}

// TestEntitiesAreWhole: @defer does not divide a response with entities.
func TestEntitiesAreWhole(t *testing.T) {
	runWith(t, subgraph, func(t *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		vars := variables{"r": []representation{{"__typename": "Transaction", "id": id}}, "id": id}
		for _, document := range []string{
			`query($r: [_Any!]!) { _entities(representations: $r) {
				... on Withdrawal { x: feeAmount } ... on Transaction { x: feeAmount ... @defer { notifications { nodes { id } } } } } }`,
			`query($id: ID!) { transaction(id: $id) { ... on _Entity { ... on Withdrawal { x: pixKey { key } }
				... on Transaction { x: seller { key: name } ... @defer { notifications { nodes { id } } } } } } }`,
		} {
			a := g.QueryWith(http.Header{"Accept": {acceptV02}}, document, vars).WantOK()
			if !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") || !strings.Contains(string(a.Body), `"nodes":[{`) {
				t.Errorf("%s: %s", a.Header.Get("Content-Type"), a.Body)
			}
		}
	})
}

// TestEntitiesInFiles: a fragment on the union adds no column to a file.
func TestEntitiesInFiles(t *testing.T) {
	runWith(t, subgraph, func(t *testing.T, g *gateway) {
		rows := g.download("text/csv", `{ withdrawals { nodes { ... on _Entity { __typename ... on Withdrawal { id } } __typename amount } } }`).want("").rows()
		withdrawal := g.Box.Ledger().Withdrawals()[0]
		if got := rows[:2]; fmt.Sprint(got[0]) != "[__typename id amount]" || got[1][0] != "Withdrawal" || got[1][1] != withdrawal.ID || got[1][2] == "" {
			t.Errorf("%q", got)
		}
	})
}

// TestService: _service has the text of /schema.graphql, unless introspection is off.
func TestService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, without := range []bool{false, true} {
			g := start(t, subgraph, func(o *options) { o.Serve.WithoutLive = without })
			text := string(g.Get("/schema.graphql").Body)
			if got := g.Query(`{ _service { sdl __typename } }`).WantOK().Text("_service", "sdl"); got != text {
				t.Errorf("%.200s", got)
			}
			if schema := parseQuerySchema(t, text); (schema.Subscription == nil) != without {
				t.Errorf("%v: subscriptions %v", without, schema.Subscription)
			}
		}
		g := start(t, subgraph, func(o *options) { o.Serve.Introspection = false })
		schema := g.Query(`{ __schema { queryType { name } } }`).WantError("FORBIDDEN", "__schema")
		a := g.Query(`{ _service { sdl } }`)
		if service := a.WantError("FORBIDDEN", "_service"); service.Message != schema.Message || a.Data != nil {
			t.Errorf("%s", a.Body)
		}
	})
}

// TestWithoutFederation: without the setting, nothing of it shows.
func TestWithoutFederation(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		for _, document := range []string{
			`{ _service { sdl } }`, `{ _entities(representations: []) { __typename } }`, `{ transaction(id: "x") { ... on _Entity { __typename } } }`,
			`query($r: _Any) { __typename }`, `query($s: link__Import) { __typename }`, `{ __typename @key(fields: "id") }`, `{ _entitie }`, `{ _servic }`,
			`{ _service { a: sdl b: sdl c: sdl d: sdl e: sdl } }`,
		} {
			a := g.Query(document)
			if len(a.Errors) == 0 || a.Errors[0].Extensions["code"] != "GRAPHQL_VALIDATION_FAILED" || strings.Contains(a.Errors[0].Message, "Did you mean") {
				t.Errorf("%s: %s", document, a.Body)
			}
		}
		document := "query($ts: [ID!]!) { _entities: transactions(ids: $ts) { id ... @defer { notifications { nodes { id } } } } }"
		if parts := g.wantParts(acceptV02, nil, document, variables{"ts": g.transactionIDs(2)}); len(parts) < 2 {
			t.Errorf("%s: %d parts", document, len(parts))
		}
		for name, text := range map[string]string{
			"introspection": string(g.Query(`{ __schema { types { name fields { name } possibleTypes { name } } directives { name } } }`).WantOK().Body),
			"schema":        string(g.Get("/schema.graphql").Body),
		} {
			for _, word := range []string{"_Any", "_Entity", "_entities", "_Service", "_service", "FieldSet", "link__", "@key", "@link", "hareable"} {
				if strings.Contains(text, word) {
					t.Errorf("%s has %s", name, word)
				}
			}
		}
	})
}
