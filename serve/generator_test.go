package serve_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// generator generates queries and invalid records.
type generator struct {
	*rand.Rand
	d     *differential
	stage int // of the records; 0 unless they change
}

// newGenerator returns the generator of a seed, for one of the tests.
func newGenerator(seed, test uint64, d *differential) generator {
	return generator{Rand: rand.New(rand.NewPCG(seed, test)), d: d}
}

type querySchema struct{ *ast.Schema }

func parseQuerySchema(t testing.TB, text string) querySchema {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: text})
	must(t, err)
	return querySchema{schema}
}

// querySchemaOf reads the schema that the gateway serves.
func querySchemaOf(t testing.TB, handler http.Handler) querySchema {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/schema.graphql", nil))
	return parseQuerySchema(t, strings.TrimSpace(w.Body.String()))
}

// roots are the root fields of generated queries.
var roots = []struct{ call, typeName string }{
	{"deposits", "DepositConnection"}, {"withdrawals", "WithdrawalConnection"},
	{fmt.Sprintf("transaction(id: %q)", transactionA), "Transaction"},
	{fmt.Sprintf("transactions(ids: [%q, %q, %q])", transactionA, transactionB, "x"), "Transaction"},
	{fmt.Sprintf("notification(id: %q)", notificationA), "Notification"},
	{fmt.Sprintf("notifications(ids: [%q, %q])", notificationA, notificationB), "Notification"},
	{fmt.Sprintf("withdrawal(id: %q)", withdrawalA), "Withdrawal"},
	{fmt.Sprintf(`_entities(representations: [{__typename: "Transaction", id: %q}, {__typename: "Notification", id: %q},
		{__typename: "Withdrawal", id: %q}, {__typename: "Transaction", id: %q}, {__typename: "Transaction", id: "x"}, {}])`,
		transactionA, notificationA, withdrawalA, transactionB), "_Entity"},
	{"depositSummary(maxPages: 2, groupBy: [DAY, ORIGIN])", "DepositSummary"},
	{`withdrawalSummary(maxPages: 2, groupBy: [DAY], dayOf: PROCESSED_DATE, fromDay: "2026-01-01")`, "WithdrawalSummary"},
	{`pixCode(text: "00020126")`, "BRCode"}, {`pixKey(text: "11912345684")`, "PixKeyText"}, {`pixKey(text: "maria")`, "PixKeyText"},
}

// operation generates a document and its variables.
func (g generator) operation() (string, map[string]any) {
	q := query{generator: g, fragments: map[string]string{}}
	var fields []string
	for i := range 1 + g.IntN(3) {
		root := roots[g.IntN(len(roots))]
		fields = append(fields, fmt.Sprintf("r%d: %s%s { %s }", i, root.call, q.directive(), q.selection(root.typeName, 0)))
	}
	document := "query($yes: Boolean!, $no: Boolean = false, $maybe: Boolean!) { go: __typename @include(if: $yes) @skip(if: $no) @skip(if: $maybe) " +
		strings.Join(fields, " ") + " }"
	document = strings.Replace(document, "@skip(if: $no) @skip(if: $maybe)", "@skip(if: $no)", 1)
	document = strings.Replace(document, "go: __typename", "gone: __typename @skip(if: $maybe) go: __typename", 1)
	return document + q.texts(), map[string]any{"yes": true, "maybe": g.IntN(2) == 0}
}

// query is a document during its generation.
type query struct {
	generator
	fragments map[string]string
	prefix    string // of the response keys of an object; "" for none
}

// texts are the fragments, in the order of their names.
func (q query) texts() (texts string) {
	for _, name := range slices.Sorted(maps.Keys(q.fragments)) {
		texts += " " + q.fragments[name]
	}
	return texts
}

// entities generates a selection set on a union. Keys of its types differ, since their fields have different types.
func (q query) entities(union *ast.Definition) string {
	var parts []string
	for range 1 + q.IntN(4) {
		name := union.Types[q.IntN(len(union.Types))]
		q.prefix = name + "_"
		parts = append(parts, fmt.Sprintf("... on %s%s { %s }", name, q.directive(), q.selection(name, 0)))
	}
	set := strings.Join(parts, " ")
	if q.IntN(3) == 0 {
		return fmt.Sprintf("__typename ... on %s%s { %s }", union.Name, q.directive(), set)
	}
	return set
}

func (q query) directive() string {
	return []string{"", "", "", "", "", "", " @include(if: $yes)", " @skip(if: $no)", " @skip(if: $maybe)", " @include(if: $maybe)"}[q.IntN(10)]
}

// selection generates a selection set on a type.
func (q query) selection(typeName string, depth int) string {
	definition := q.d.schema.Types[typeName]
	if definition.Kind == ast.Union {
		return q.entities(definition)
	}
	prefix := q.prefix
	q.prefix = ""
	var parts []string
	for range 1 + q.IntN(6) {
		field := definition.Fields[q.IntN(len(definition.Fields))]
		fieldType := q.d.schema.Types[field.Type.Name()]
		leads := field.Name == "notifications" && q.IntN(12) > 0 || isLink(field) && depth > 3
		if strings.HasPrefix(field.Name, "__") || leads || depth > 5 && fieldType.Kind == ast.Object {
			parts = append(parts, "__typename")
			continue
		}
		text := field.Name
		if q.IntN(4) == 0 {
			text = fmt.Sprintf("%sa%d_%s: %s", prefix, q.IntN(3), field.Name, field.Name)
		} else if prefix != "" {
			text = fmt.Sprintf("%s%s: %s", prefix, field.Name, field.Name)
		}
		text += q.directive()
		if fieldType.Kind == ast.Object {
			text += " { " + q.selection(fieldType.Name, depth+1) + " }"
		}
		parts = append(parts, text)
	}
	set := strings.Join(parts, " ")
	switch q.IntN(8) {
	case 0:
		return fmt.Sprintf("... on %s%s { %s } __typename", typeName, q.directive(), set)
	case 1:
		name := fmt.Sprintf("F%d", len(q.fragments))
		q.fragments[name] = fmt.Sprintf("fragment %s on %s { %s }", name, typeName, set)
		return fmt.Sprintf("...%s%s %s: __typename", name, q.directive(), strings.ToLower(name))
	default:
		return set
	}
}
