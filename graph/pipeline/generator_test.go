package pipeline_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/upstream/wire"
)

// generator generates queries and invalid records.
type generator struct {
	*rand.Rand
	d *differential
}

type querySchema struct{ *ast.Schema }

func parseQuerySchema(t testing.TB, text string) querySchema {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: text})
	if err != nil {
		t.Fatal(err)
	}
	return querySchema{schema}
}

// roots are the root fields of generated queries.
var roots = []struct{ call, typeName string }{
	{"deposits", "DepositConnection"}, {"withdrawals", "WithdrawalConnection"},
	{fmt.Sprintf("transaction(id: %q)", transactionA), "Transaction"},
	{fmt.Sprintf("transactions(ids: [%q, %q, %q])", transactionA, transactionB, "x"), "Transaction"},
	{fmt.Sprintf("notification(id: %q)", notificationA), "Notification"},
	{fmt.Sprintf("notifications(ids: [%q, %q])", notificationA, notificationB), "Notification"},
	{`withdrawal(id: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeee3")`, "Withdrawal"},
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
	for _, fragment := range q.fragments {
		document += " " + fragment
	}
	return document, map[string]any{"yes": true, "maybe": g.IntN(2) == 0}
}

// query is a document during its generation.
type query struct {
	generator
	fragments map[string]string
}

func (q query) directive() string {
	return []string{"", "", "", "", "", "", " @include(if: $yes)", " @skip(if: $no)", " @skip(if: $maybe)", " @include(if: $maybe)"}[q.IntN(10)]
}

// selection generates a selection set on a type.
func (q query) selection(typeName string, depth int) string {
	definition := q.d.schema.Types[typeName]
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
			text = fmt.Sprintf("a%d_%s: %s", q.IntN(3), field.Name, field.Name)
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

// replacements are values that replace others.
var replacements = []string{
	`null`, `true`, `0`, `-0`, `1500.0`, `1.5e3`, `12.5`, `9007199254740993`, `9223372036854775807`, `9223372036854775808`, `1E400`, `1e-400`,
	`""`, `"PAID"`, `"P\u0041ID"`, `"UNKNOWN"`, `"NEW"`, `"\u00e9\/\n<é>"`, `"\ud800"`, `"\ud83d\ude00"`, "\"\xff\"", `"` + strings.Repeat("x", 300) + `"`,
	`[]`, `[null]`, `["a",5,null,"\u0041"]`, `[{}]`, `[{"status":"PAID","date":"d","durationInMilliseconds":1},5]`,
	`{}`, `{"value":"v","type":"t"}`, `{"value":5}`,
	`{"value":"v","value":null}`, `{"a":{"b":[[[[]]]]}}`, ` { "value" : "v" } `, `[` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `]`, `tru`, ``, `"a`,
}

// breakValue replaces, duplicates or removes a value of a document.
func (g generator) breakValue(document []byte) []byte {
	spans := valuesOf(document)
	if len(spans) == 0 {
		return document
	}
	s := spans[g.IntN(len(spans))]
	value := []byte(replacements[g.IntN(len(replacements))])
	switch g.IntN(6) {
	case 0: // a duplicate of the member
		if s.member {
			name := document[s.name : s.start-1]
			return bytes.Join([][]byte{document[:s.name], name, []byte(":"), value, []byte(","), document[s.name:]}, nil)
		}
	case 1: // without the member
		if s.member && s.end < len(document) && document[s.end] == ',' {
			return append(bytes.Clone(document[:s.name]), document[s.end+1:]...)
		}
	case 2: // the name with an escape
		if s.member && document[s.name] == '"' {
			escaped := fmt.Sprintf(`"\u%04x`, document[s.name+1])
			return bytes.Join([][]byte{document[:s.name], []byte(escaped), document[s.name+2:]}, nil)
		}
	}
	return bytes.Join([][]byte{document[:s.start], value, document[s.end:]}, nil)
}

// valueSpan is the position of a value, and of the name if it is a member.
type valueSpan struct {
	name, start, end int
	member           bool
}

// valuesOf finds the values in a document, at every level.
func valuesOf(document []byte) []valueSpan {
	value, err := wire.Index(document)
	if err != nil {
		return nil
	}
	return partsOf(document, value, nil)
}

func partsOf(document []byte, value wire.Value, found []valueSpan) []valueSpan {
	parts, err := value.Members()
	member := err == nil
	if !member {
		if parts, err = value.Elements(); err != nil {
			return found
		}
	}
	for parts.Next() {
		raw := parts.Value().Bytes()
		start := positionOf(document, raw)
		s := valueSpan{0, start, start + len(raw), false}
		if member {
			s.name, s.member = nameBefore(document, start), document[start-1] == ':'
		}
		found = partsOf(document, parts.Value(), append(found, s))
	}
	return found
}

// nameBefore is the position of the quote before the name of a member, from the position of its value.
func nameBefore(document []byte, value int) int {
	end := bytes.LastIndexByte(document[:value], '"')
	return max(bytes.LastIndexByte(document[:max(end, 0)], '"'), 0)
}

// positionOf is the position of a part of a document.
func positionOf(document, part []byte) int {
	return int(uintptr(unsafe.Pointer(&part[0])) - uintptr(unsafe.Pointer(&document[0])))
}
