package limits_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/limits"
)

// operationOf validates a document and its variables as gqlgen does before it asks for the cost.
func operationOf(t testing.TB, schema *ast.Schema, document string, variables map[string]any) *graphql.OperationContext {
	t.Helper()
	parsed, errs := gqlparser.LoadQueryWithRules(schema, document, rules.NewDefaultRules())
	if errs != nil {
		t.Fatal(errs)
	}
	operation := parsed.Operations[0]
	values, err := validator.VariableValues(schema, operation, variables)
	must(t, err)
	return &graphql.OperationContext{Doc: parsed, Operation: operation, Variables: values}
}

// ids is so many ids as a variable.
func ids(n int) map[string]any {
	list := make([]any, n)
	for i := range list {
		list[i] = "x"
	}
	return map[string]any{"ids": list}
}

func TestCost(t *testing.T) {
	const withIDs = "query($ids:[ID!]!){"
	tests := []struct {
		name      string
		document  string
		variables map[string]any
		want      int
	}{
		{"nothing", "{__typename __schema{types{name}}}", nil, 0},
		{"a list", "{deposits{nodes{id payer{name}} edges{node{amount}}}}", nil, 1},
		{"a list behind a cursor", `{deposits(after:"x"){totalCount}}`, nil, 2},
		{"a list behind no cursor", `query($c:String){deposits(after:null){totalCount} withdrawals(after:$c){totalCount}}`, nil, 2},
		{"a cursor in a variable", `query($c:String){withdrawals(after:$c){totalCount}}`, map[string]any{"c": "x"}, 2},
		{"a cursor by default", `query($c:String="x"){withdrawals(after:$c){totalCount}}`, nil, 2},
		{"one of each", `{deposits{totalCount} withdrawals{totalCount} withdrawal(id:1){id} transaction(id:1){id} notification(id:1){id}}`, nil, 5},
		{"ids in the document", `{transactions(ids:["a","b","c"]){id}}`, nil, 3},
		{"one id for a list", `{transactions(ids:"a"){id}}`, nil, 1},
		{"ids in a variable", withIDs + "notifications(ids:$ids){id}}", ids(7), 7},
		{"one id for a list, in a variable", withIDs + "notifications(ids:$ids){id}}", map[string]any{"ids": "x"}, 1},
		{"ids as variables", "query($a:ID! $b:ID!){transactions(ids:[$a,$b]){id}}", map[string]any{"a": "x", "b": "y"}, 2},
		{"links of a transaction", `{transaction(id:1){notifications{nodes{id} links{notification{id}} complete}}}`, nil, 1 + 50},
		{"links of transactions", withIDs + "transactions(ids:$ids){notifications{complete}}}", ids(50), 50 + 50*50},
		{"links of links", `{transaction(id:1){notifications{nodes{withdrawal{id}}}}}`, nil, 1 + 50 + 50},
		{"there and back", `{transaction(id:1){notifications{nodes{transaction{notifications{complete}}}}}}`, nil, 1 + 50 + 50 + 50*50},
		{"the record of a notification", `{notification(id:1){transaction{id} withdrawal{id}}}`, nil, 3},
		{"the records of notifications", withIDs + "notifications(ids:$ids){transaction{id}}}", ids(20), 40},
		{"20 aliased notifications with their transactions", "{" + numbered(20, `n%d:notification(id:%[1]d){transaction{id}} `) + "}", nil, 40},
		{"two names", `{a:transaction(id:1){id} b:transaction(id:1){id}}`, nil, 2},
		{"merged", `{transaction(id:1){id} transaction(id:1){amount} ...{transaction(id:1){status}} ...f}fragment f on Query{transaction(id:1){acquirer}}`, nil, 1},
		{"merged below", `{transaction(id:1){notifications{complete}} ...f ...f}fragment f on Query{transaction(id:1){notifications{nodes{id}}}}`, nil, 51},
		{"in fragments", `{...f ...on Query{b:withdrawal(id:1){id}}}fragment f on Query{a:transaction(id:1){...g}}fragment g on Transaction{notifications{complete}}`, nil, 52},
		{"skipped", `{a:transaction(id:1)@skip(if:true){id} b:transaction(id:1)@skip(if:false){id}}`, nil, 1},
		{"not included", `{a:transaction(id:1)@include(if:false){id} b:transaction(id:1)@include(if:true){id}}`, nil, 1},
		{"by variables", `query($no:Boolean! $yes:Boolean=true){a:transaction(id:1)@include(if:$no){id} ...f@skip(if:$yes) ...@include(if:$no){c:transaction(id:1){id}} d:withdrawal(id:1)@include(if:$yes)@skip(if:$no){id}}fragment f on Query{b:transaction(id:1){id}}`, map[string]any{"no": false}, 1},
		{"no ids", withIDs + "transactions(ids:$ids){notifications{complete}}}", ids(0), 0},
		{"more than there can be", withIDs + "transactions(ids:$ids)" + strings.Repeat("{notifications{nodes{transaction", 12) + "{id}" + strings.Repeat("}}}", 12) + "}", ids(50), 1<<63 - 1},
	}
	schema := loadSchema(t)
	l, err := limits.New(limits.Config{MaxCost: 1<<63 - 1})
	must(t, err)
	must(t, l.Validate(executable{schema: schema}))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			operation := operationOf(t, schema, tt.document, tt.variables)
			if err := l.MutateOperationContext(t.Context(), operation); err != nil {
				t.Fatal(err)
			}
			if got := limits.CostOf(graphql.WithOperationContext(t.Context(), operation)); got != tt.want {
				t.Errorf("%d calls, want %d", got, tt.want)
			}
		})
	}
}

func TestCostOfLinksByArgumentOnly(t *testing.T) {
	schema := loadSchema(t)
	l, err := limits.New(limits.Config{LinksByArgumentOnly: true, MaxLinks: 10})
	must(t, err)
	must(t, l.Validate(executable{schema: schema}))
	for want, document := range map[int]string{
		1:  `{transaction(id:1){notifications{nodes{withdrawal{id}}}}}`,
		5:  `{transaction(id:1){notifications(ids:["a","b"]){nodes{withdrawal{id}}}}}`,
		11: `{transaction(id:1){notifications(ids:[` + strings.Repeat(`"a" `, 40) + `]){complete}}}`,
	} {
		operation := operationOf(t, schema, document, nil)
		if err := l.MutateOperationContext(t.Context(), operation); err != nil {
			t.Fatal(err)
		}
		if got := limits.CostOf(graphql.WithOperationContext(t.Context(), operation)); got != want {
			t.Errorf("%d calls, want %d, for %s", got, want, document)
		}
	}
}

// TestCostBehindAnInterface: a field whose type is abstract leads where the types that implement it lead.
func TestCostBehindAnInterface(t *testing.T) {
	schema := loadSchema(t, `
		interface Thing { id: ID! }
		extend type Transaction implements Thing
		extend type Query { thing: Thing }`)
	l, err := limits.New(limits.Config{})
	must(t, err)
	must(t, l.Validate(executable{schema: schema}))
	operation := operationOf(t, schema, "{thing{id ...on Transaction{notifications{complete}}}}", nil)
	if err := l.MutateOperationContext(t.Context(), operation); err != nil {
		t.Fatal(err)
	}
	if got := limits.CostOf(graphql.WithOperationContext(t.Context(), operation)); got != 50 {
		t.Errorf("%d calls, want 50", got)
	}
}

func TestMaxCost(t *testing.T) {
	schema := loadSchema(t)
	l, err := limits.New(limits.Config{MaxCost: 10})
	must(t, err)
	must(t, l.Validate(executable{schema: schema}))
	for n, refused := range map[int]bool{9: false, 10: false, 11: true} {
		operation := operationOf(t, schema, "query($ids:[ID!]!){notifications(ids:$ids){id}}", ids(n))
		err := l.MutateOperationContext(t.Context(), operation)
		if (err != nil) != refused {
			t.Errorf("%d calls: %v", n, err)
		}
		if err != nil && exceeded(t, err) != limits.LimitCost {
			t.Errorf("%v", err)
		}
		if got := limits.CostOf(graphql.WithOperationContext(t.Context(), operation)); got != n {
			t.Errorf("the cost of %d is told as %d", n, got)
		}
	}
}

func TestCostOfNoOperation(t *testing.T) {
	if got := limits.CostOf(t.Context()); got != 0 {
		t.Errorf("%d", got)
	}
}

// TestEveryLinkHasAWeight walks the schema: every field of Query, and every field of a record, from which a record can be
// reached, makes calls and must be in the table of weights. Fields of what stands between (connections, links) do not.
func TestEveryLinkHasAWeight(t *testing.T) {
	schema := loadSchema(t)
	records := []string{"Deposit", "Withdrawal", "Transaction", "Notification"}
	var reaches func(name string, met map[string]bool) bool
	reaches = func(name string, met map[string]bool) bool {
		if slices.Contains(records, name) {
			return true
		}
		if met[name] {
			return false
		}
		met[name] = true
		for _, field := range schema.Types[name].Fields {
			if schema.Types[name].IsCompositeType() && reaches(field.Type.Name(), met) {
				return true
			}
		}
		return false
	}
	want := map[string]bool{}
	for _, parent := range append(records, "Query") {
		definition := schema.Types[parent]
		if definition == nil {
			t.Fatalf("the schema has no %s", parent)
		}
		for _, field := range definition.Fields {
			if !strings.HasPrefix(field.Name, "__") && reaches(field.Type.Name(), map[string]bool{}) {
				want[parent+"."+field.Name] = true
			}
		}
	}
	if len(want) < 10 {
		t.Fatalf("only %d found", len(want))
	}
	if got, all := limits.Weighted(), slices.Sorted(maps.Keys(want)); !slices.Equal(got, all) {
		t.Errorf("weights are\n%v\nwant\n%v", got, all)
	}
}

func TestWeightsMustFitTheSchema(t *testing.T) {
	l, err := limits.New(limits.Config{})
	must(t, err)
	other := gqlparser.MustLoadSchema(&ast.Source{Input: "type Query { deposits: Int }"})
	if err := l.Validate(executable{schema: other}); err == nil || !strings.Contains(err.Error(), "Transaction.notifications") {
		t.Errorf("%v", err)
	}
}
