package serve_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
)

// schema is the schema that the gateway serves.
func (g *gateway) schema() *ast.Schema {
	g.T.Helper()
	text := g.Get("/schema.graphql").WantOK().Body
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: string(text)})
	must(g.T, err)
	return schema
}

// allFields is a selection of every field of a type, and of the types of its fields, without the fields that make
// calls.
func allFields(schema *ast.Schema, typeName string) string {
	var fields []string
	for _, field := range schema.Types[typeName].Fields {
		fieldType := schema.Types[field.Type.Name()]
		switch {
		case strings.HasPrefix(field.Name, "__"), isLink(field):
		case fieldType.Kind == ast.Object:
			fields = append(fields, field.Name+" { "+allFields(schema, fieldType.Name)+" }")
		default:
			fields = append(fields, field.Name)
		}
	}
	return strings.Join(fields, " ")
}

// isLink reports whether a field makes calls.
func isLink(field *ast.FieldDefinition) bool { return field.Directives.ForName(calls.Directive) != nil }

func TestEveryFieldIsDescribed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		schema := start(t).schema()
		described := func(name, description string) {
			if strings.TrimSpace(description) == "" {
				t.Errorf("%s has no description", name)
			}
		}
		for name, directive := range schema.Directives {
			described("@"+name, directive.Description)
			for _, argument := range directive.Arguments {
				described("@"+name+"("+argument.Name+")", argument.Description)
			}
		}
		for name, definition := range schema.Types {
			if definition.BuiltIn {
				continue
			}
			described(name, definition.Description)
			for _, field := range definition.Fields {
				if strings.HasPrefix(field.Name, "__") {
					continue
				}
				described(name+"."+field.Name, field.Description)
				for _, argument := range field.Arguments {
					described(name+"."+field.Name+"("+argument.Name+")", argument.Description)
				}
			}
			for _, value := range definition.EnumValues {
				described(name+"."+value.Name, value.Description)
			}
		}
	})
}

// TestIntrospection: the schema is served, and introspection works, unless the setting turns both off.
func TestIntrospection(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		if text := string(g.Get("/schema.graphql").WantOK().Body); !strings.Contains(text, "type Query {") || !strings.Contains(text, "type NotificationLink {") {
			t.Errorf("%.200s", text)
		}
		g.Query("{ __schema { queryType { name } } }").WantOK()
		closed := start(t, func(o *options) { o.Serve.Introspection = false })
		if status := closed.Get("/schema.graphql").Status; status != http.StatusNotFound {
			t.Errorf("/schema.graphql returned %d without introspection", status)
		}
		closed.Query("{ __schema { queryType { name } } }").WantError("FORBIDDEN", "__schema")
		a := closed.Query(`{ it: __type(name: "Deposit") { name } deposits { totalCount } }`)
		a.WantError("FORBIDDEN", "it")
		if len(a.Errors) != 1 || a.At("it") != nil || a.At("deposits") == nil {
			t.Errorf("%s", a.Body)
		}
		closed.Query("{ __typename }").WantOK()
	})
}

// TestWithoutLive: without streams, the schema has neither subscriptions nor fields that wait, in its text, in
// introspection and in validation.
func TestWithoutLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const live = `{ subscriptionType: __schema { subscriptionType { name } } Subscription: __type(name: "Subscription") { name }
			Query: __type(name: "Query") { fields { name } } }`
		with, without := start(t), start(t, func(o *options) { o.Serve.WithoutLive = true })
		for _, g := range []*gateway{with, without} {
			has := g == with
			text, answer := string(g.Get("/schema.graphql").WantOK().Body), string(g.Query(live).WantOK().Body)
			for _, part := range []string{"type Subscription {", "awaitTransaction(", "awaitWithdrawal("} {
				if strings.Contains(text, part) != has {
					t.Errorf("live %t: the text has %q: %t", has, part, !has)
				}
			}
			for _, part := range []string{`"subscriptionType":{"name":"Subscription"}`, `"Subscription":{"name":"Subscription"}`, `"awaitTransaction"`} {
				if strings.Contains(answer, part) != has {
					t.Errorf("live %t: %s", has, answer)
				}
			}
		}
		id := without.Box.Samples().OpenTransaction
		without.Box.ResetCalls()
		for _, accept := range []string{"application/json", "text/event-stream, application/json"} {
			for _, document := range []string{
				`subscription { transaction(id: "` + id + `") { id } }`, `{ awaitTransaction(id: "` + id + `", until: [PAID]) { id } }`,
				`{ transaction(id: "` + id + `") { id } ... { a: awaitWithdrawal(id: "` + id + `", until: [PROCESSED]) { id } } }`,
			} {
				without.QueryWith(http.Header{"Accept": {accept}}, document).WantError("GRAPHQL_VALIDATION_FAILED")
			}
		}
		s := without.connect(t, without.Token)
		s.subscribe("1", watchTransaction, variables{"id": id})
		s.wantError("1", "GRAPHQL_VALIDATION_FAILED")
		without.WantNoCalls()
		s.subscribe("2", `query($id: ID!) { transaction(id: $id) { id } __typename }`, variables{"id": id})
		s.want("next", "2")
	})
}
