package limits_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/guard/limits"
	"pixgraph/request"
)

// operationOf validates a document and its variables, as gqlgen does before the cost is computed.
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

// ids are variables with a list of n ids.
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
		{"no calls", "{__typename __schema{types{name}}}", nil, 0},
		{"a list", "{deposits{nodes{id payer{name}} edges{node{amount}}}}", nil, 1},
		{"a list after a cursor", `{deposits(after:"x"){totalCount}}`, nil, 2},
		{"a list with a null cursor", `query($c:String){deposits(after:null){totalCount} withdrawals(after:$c){totalCount}}`, nil, 2},
		{"a cursor in a variable", `query($c:String){withdrawals(after:$c){totalCount}}`, map[string]any{"c": "x"}, 2},
		{"a cursor as default", `query($c:String="x"){withdrawals(after:$c){totalCount}}`, nil, 2},
		{"one field of each kind", `{deposits{totalCount} withdrawals{totalCount} withdrawal(id:1){id} transaction(id:1){id} notification(id:1){id}}`, nil, 5},
		{"ids in the document", `{transactions(ids:["a","b","c"]){id}}`, nil, 3},
		{"one id for a list", `{transactions(ids:"a"){id}}`, nil, 1},
		{"ids in a variable", withIDs + "notifications(ids:$ids){id}}", ids(7), 7},
		{"one id for a list, in a variable", withIDs + "notifications(ids:$ids){id}}", map[string]any{"ids": "x"}, 1},
		{"variables in a list of ids", "query($a:ID! $b:ID!){transactions(ids:[$a,$b]){id}}", map[string]any{"a": "x", "b": "y"}, 2},
		{"links of a transaction", `{transaction(id:1){notifications{nodes{id} links{notification{id}}}}}`, nil, 1 + 50},
		{"links of transactions", withIDs + "transactions(ids:$ids){notifications{links{state}}}}", ids(50), 50 + 50*50},
		{"links of links", `{transaction(id:1){notifications{nodes{withdrawal{id}}}}}`, nil, 1 + 50 + 50},
		{"links back to transactions", `{transaction(id:1){notifications{nodes{transaction{notifications{links{state}}}}}}}`, nil, 1 + 50 + 50 + 50*50},
		{"the record of a notification", `{notification(id:1){transaction{id} withdrawal{id}}}`, nil, 3},
		{"the records of notifications", withIDs + "notifications(ids:$ids){transaction{id}}}", ids(20), 40},
		{"20 aliased notifications with their transactions", "{" + numbered(20, `n%d:notification(id:%[1]d){transaction{id}} `) + "}", nil, 40},
		{"two aliases", `{a:transaction(id:1){id} b:transaction(id:1){id}}`, nil, 2},
		{"merged fields", `{transaction(id:1){id} transaction(id:1){amount} ...{transaction(id:1){status}} ...f}
			fragment f on Query{transaction(id:1){acquirer}}`, nil, 1},
		{"merged subfields", `{transaction(id:1){notifications{links{state}}} ...f ...f}fragment f on Query{transaction(id:1){notifications{nodes{id}}}}`, nil, 51},
		{"in fragments", `{...f ...on Query{b:withdrawal(id:1){id}}}
			fragment f on Query{a:transaction(id:1){...g}}fragment g on Transaction{notifications{links{state}}}`, nil, 52},
		{"skipped fields", `{a:transaction(id:1)@skip(if:true){id} b:transaction(id:1)@skip(if:false){id}}`, nil, 1},
		{"fields that are not included", `{a:transaction(id:1)@include(if:false){id} b:transaction(id:1)@include(if:true){id}}`, nil, 1},
		{"fields that variables skip", `query($no:Boolean! $yes:Boolean=true){
			a:transaction(id:1)@include(if:$no){id} ...f@skip(if:$yes) ...@include(if:$no){c:transaction(id:1){id}}
			d:withdrawal(id:1)@include(if:$yes)@skip(if:$no){id}
		}fragment f on Query{b:transaction(id:1){id}}`, map[string]any{"no": false}, 1},
		{"no ids", withIDs + "transactions(ids:$ids){notifications{links{state}}}}", ids(0), 0},
		{"above the largest number", withIDs + "transactions(ids:$ids)" +
			strings.Repeat("{notifications{nodes{transaction", 12) + "{id}" + strings.Repeat("}}}", 12) + "}", ids(50), 1<<63 - 1},
	}
	schema := loadSchema(t)
	var call request.Call
	l, err := limits.New(limits.Config{MaxCost: 1<<63 - 1}, schema)
	must(t, err)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			operation := operationOf(t, schema, tt.document, tt.variables)
			must(t, l.Cost(&call, operation))
			if got := call.Cost.UpstreamCalls; got != tt.want {
				t.Errorf("%d calls, want %d", got, tt.want)
			}
			minimum, maximum, err := l.CostRange(operation.Operation)
			tooHigh := tt.want > 0 && minimum.UpstreamCalls > tt.want // no field accepts an empty list of ids
			if tooHigh || maximum.UpstreamCalls < tt.want || err != nil {
				t.Errorf("the range is %d to %d, %v", minimum.UpstreamCalls, maximum.UpstreamCalls, err)
			}
		})
	}
}

// TestCostRange: the bounds of the cost are those of the values of variables with the minimum and the maximum of calls.
func TestCostRange(t *testing.T) {
	tests := []struct {
		name, document   string
		minimum, maximum int
		rejected         bool
	}{
		{"no variables", `{deposits(after:"x"){totalCount} transaction(id:1){id}}`, 3, 3, false},
		{"a variable that does not matter", "query($n:Int $id:ID!){deposits(first:$n){totalCount} transaction(id:$id){id}}", 2, 2, false},
		{"a cursor", "query($c:String){deposits(after:$c){totalCount}}", 1, 2, false},
		{"ids", "query($ids:[ID!]!){transactions(ids:$ids){id}}", 1, 50, false},
		{"representations", "query($r:[_Any!]!){_entities(representations:$r){...on Notification{transaction{id}}}}", 1, 2 * (1<<31 - 1), false},
		{"representations of a type", `{_entities(representations:[{__typename:"Notification"},{__typename:"Withdrawal"}]){...on Notification{transaction{id}}}}`,
			3, 3, false},
		{"types of representations", `query($t:String="Withdrawal"){_entities(representations:[{__typename:$t}]){...on Notification{transaction{id}}}}`, 1, 2, false},
		{"a representation", `query($r:_Any!){_entities(representations:[$r,{__typename:"Withdrawal"}]){...on Notification{transaction{id}}}}`, 2, 4, false},
		{"ids of representations", `query($id:ID!){_entities(representations:{__typename:"Notification",id:$id}){...on Notification{transaction{id}}}}`, 2, 2, false},
		{"ids with links", "query($ids:[ID!]!){transactions(ids:$ids){notifications{links{state}}}}", 51, 50 + 50*50, false},
		{"pages", "query($n:Int!){depositSummary(maxPages:$n){complete}}", 1, 1<<31 - 1, false},
		{"pages with a default", "query($n:Int!=7){depositSummary(maxPages:$n){complete}}", 1, 1<<31 - 1, false},
		{"conditions", "query($on:Boolean!){deposits@include(if:$on){totalCount} a:transaction(id:1)@skip(if:$on){id}}", 0, 2, false},
		{"a variable and a literal", "query($on:Boolean!){a:transaction(id:1)@include(if:$on)@skip(if:true){id} b:transaction(id:1){id}}", 1, 1, false},
		{"a fragment with a condition", "query($on:Boolean!){...f@include(if:$on)}fragment f on Query{transaction(id:1){id}}", 0, 1, false},
		{"at the limit", "{" + numbered(50, "a%d:transactions(ids:[1,2]){id} ") + "}", 100, 100, false},
		{"above the limit", "{" + numbered(50, "a%d:transactions(ids:[1,2]){id} ") + "b:transaction(id:1){id}}", 101, 101, true},
		{"above the limit for all values", "query($c:String){deposits(after:$c){totalCount} " + numbered(50, "a%d:transactions(ids:[1,2]){id} ") + "}",
			101, 102, true},
	}
	schema := loadSchema(t)
	l, err := limits.New(limits.Config{MaxCost: 100}, schema)
	must(t, err)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parsed, errs := gqlparser.LoadQueryWithRules(schema, tt.document, rules.NewDefaultRules())
			if errs != nil {
				t.Fatal(errs)
			}
			minimum, maximum, err := l.CostRange(parsed.Operations[0])
			if minimum != (request.Cost{UpstreamCalls: tt.minimum, Max: 100}) || maximum.UpstreamCalls != tt.maximum || (err != nil) != tt.rejected {
				t.Errorf("%d to %d calls, %v; want %d to %d", minimum.UpstreamCalls, maximum.UpstreamCalls, err, tt.minimum, tt.maximum)
			}
			if err != nil && exceeded(t, err) != limits.LimitCost {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestCostOfInterface: a field of an abstract type may return each type that implements it.
func TestCostOfInterface(t *testing.T) {
	schema := loadSchema(t, `
		interface Thing { id: ID! }
		extend type Transaction implements Thing
		extend type Query { thing: Thing @upstreamCalls(maxRecords: 1) }`)
	var call request.Call
	l, err := limits.New(limits.Config{}, schema)
	must(t, err)
	operation := operationOf(t, schema, "{thing{id ...on Transaction{notifications{links{state}}}}}", nil)
	must(t, l.Cost(&call, operation))
	if got := call.Cost.UpstreamCalls; got != 1+50 {
		t.Errorf("%d calls, want 51", got)
	}
}

func TestMaxCost(t *testing.T) {
	schema := loadSchema(t)
	var call request.Call
	l, err := limits.New(limits.Config{MaxCost: 10}, schema)
	must(t, err)
	for n, rejected := range map[int]bool{9: false, 10: false, 11: true} {
		operation := operationOf(t, schema, "query($ids:[ID!]!){notifications(ids:$ids){id}}", ids(n))
		err := l.Cost(&call, operation)
		if (err != nil) != rejected {
			t.Errorf("%d calls: %v", n, err)
		}
		if err != nil && exceeded(t, err) != limits.LimitCost {
			t.Errorf("%v", err)
		}
		if got := call.Cost.UpstreamCalls; got != n {
			t.Errorf("the cost is %[2]d, want %[1]d", n, got)
		}
	}
}

// TestEveryDeclaredFieldIsCharged: an operation with a field that declares calls costs more than the same operation
// without the field.
func TestEveryDeclaredFieldIsCharged(t *testing.T) {
	schema := loadSchema(t)
	declared, err := calls.Read(schema)
	must(t, err)
	var call request.Call
	l, err := limits.New(limits.Config{}, schema)
	must(t, err)
	if len(declared) < 10 {
		t.Fatalf("only %d fields declare calls", len(declared))
	}
	for _, parent := range schema.Types {
		for _, field := range parent.Fields {
			if declared[field] == nil {
				continue
			}
			t.Run(parent.Name+"."+field.Name, func(t *testing.T) {
				around := pathTo(schema, parent)
				costOf := func(selected string) int {
					operation := operationOf(t, schema, fmt.Sprintf(around, selected), nil)
					must(t, l.Cost(&call, operation))
					return call.Cost.UpstreamCalls
				}
				without, with := 0, costOf(selection(field)+"{__typename}")
				if parent != schema.Subscription { // which may not select __typename
					without = costOf("__typename")
				}
				if with <= without {
					t.Errorf("costs %d calls, %d without the field", with, without)
				}
			})
		}
	}
}

// pathTo is the shortest operation that selects from a type, as a format for the selection.
func pathTo(schema *ast.Schema, target *ast.Definition) string {
	formats := map[*ast.Definition]string{schema.Query: "{%s}", schema.Subscription: "subscription{%s}"}
	if formats[target] != "" {
		return formats[target]
	}
	found := []*ast.Definition{schema.Query}
	for ; found[0] != target; found = found[1:] {
		for _, field := range found[0].Fields {
			next := schema.Types[field.Type.Name()]
			if _, ok := formats[next]; ok || !next.IsCompositeType() || strings.HasPrefix(field.Name, "__") {
				continue
			}
			formats[next] = fmt.Sprintf(formats[found[0]], selection(field)+"{%s}")
			found = append(found, next)
		}
	}
	return formats[target]
}

// selection is a field with a value for each list and each id among its arguments.
func selection(field *ast.FieldDefinition) string {
	var values []string
	for _, argument := range field.Arguments {
		switch {
		case argument.Type.Elem != nil && argument.Type.Name() == "ID":
			values = append(values, argument.Name+`:["x"]`)
		case argument.Type.Elem != nil && argument.Type.NonNull: // of statuses
			values = append(values, argument.Name+`:[PENDING]`)
		case argument.Type.NonNull && argument.DefaultValue == nil:
			values = append(values, argument.Name+`:"x"`)
		}
	}
	if values == nil {
		return field.Name
	}
	return field.Name + "(" + strings.Join(values, " ") + ")"
}

func TestDeclarationsAreChecked(t *testing.T) {
	invalid := loadSchema(t, `extend type Query { latest: Deposit }`)
	if _, err := limits.New(limits.Config{}, invalid); err == nil || !strings.Contains(err.Error(), "Query.latest") {
		t.Errorf("%v", err)
	}
}
