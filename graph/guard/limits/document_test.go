package limits_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/graph/guard/limits"
)

// numbered formats the numbers from 0 to n-1.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestEveryLimit(t *testing.T) {
	rep := strings.Repeat
	derived := map[string]bool{"timeline": true}
	tests := []struct {
		name   string
		limit  string
		config limits.Config
		max    int
		// document exhausts the limit n exactly.
		document func(n int) string
	}{
		{"bytes", limits.LimitBytes, limits.Config{Bytes: 40}, 40, func(n int) string { return "{a" + rep(" ", n-3) + "}" }},
		{"tokens", limits.LimitTokens, limits.Config{Tokens: 10}, 10, func(n int) string { return "{" + numbered(n-2, "a%d ") + "}" }},
		{"tokens, comments too", limits.LimitTokens, limits.Config{Tokens: 10}, 10, func(n int) string { return "{a " + rep("#b\n", n-3) + "}" }},
		{"depth", limits.LimitDepth, limits.Config{Depth: 4}, 4, func(n int) string { return rep("{a", n) + rep("}", n) }},
		{"depth through fragments", limits.LimitDepth, limits.Config{Depth: 4}, 4, func(n int) string {
			return "{a{...f}}fragment f on A{" + rep("a{", n-2) + "a" + rep("}", n-2) + "}"
		}},
		{"depth without inline fragments", limits.LimitDepth, limits.Config{Depth: 4}, 4, func(n int) string { return rep("{...{a", n) + rep("}}", n) }},
		{"fields", limits.LimitFields, limits.Config{Fields: 6}, 6, func(n int) string { return "{" + numbered(n, "a%d ") + "}" }},
		{"fields of all operations", limits.LimitFields, limits.Config{Fields: 6}, 6, func(n int) string { return numbered(n, "query q%d{a}") }},
		{"fields through fragments", limits.LimitFields, limits.Config{Fields: 6}, 6, func(n int) string {
			return "{a{...f}b{...f}" + numbered(n-6, "c%d ") + "}fragment f on A{x y}"
		}},
		{"derived fields", limits.LimitDerived, limits.Config{Derived: 5, DerivedFields: derived}, 5, func(n int) string {
			return "{" + numbered(n, "a%d:timeline ") + "timelines}"
		}},
		{"derived fields through fragments", limits.LimitDerived, limits.Config{Derived: 7, DerivedFields: derived}, 7, func(n int) string {
			return "{a{...f}b{...f}" + numbered(n-6, "c%d:timeline ") + "}fragment f on A{timeline{timeline} x:timeline{y}}"
		}},
		{"introspection", limits.LimitIntrospection, limits.Config{Introspection: 8}, 8, func(n int) string {
			return "{__schema{" + numbered(n, "a%d:description ") + "}}"
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLimits(t, tt.config)
			for n := tt.max - 1; n <= tt.max; n++ {
				if err := check(l, tt.document(n)); err != nil {
					t.Errorf("%d: %v", n, err)
				}
			}
			err := check(l, tt.document(tt.max+1))
			var e *apierror.Error
			if !errors.As(err, &e) || e.Limit != tt.limit || e.Max != int64(tt.max) {
				t.Fatalf("%d: %v", tt.max+1, err)
			}
			if !strings.Contains(e.Error(), fmt.Sprint(tt.max)) {
				t.Errorf("the error does not contain the limit: %v", e)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	rep := strings.Repeat
	tests := []struct{ name, limit, document string }{
		{"36 KB of one field", limits.LimitBytes, "{" + rep("amount", 6000) + "}"},
		{"6,000 of one field", limits.LimitTokens, "{" + rep("id ", 6000) + "}"},
		{"900 of one field", limits.LimitValidation, "{" + rep("id ", 900) + "}"},
		{"10,000 unknown directives", limits.LimitTokens, "{a" + rep("@x", 10_000) + "}"},
		{"depth 16", limits.LimitDepth, rep("{a", 16) + rep("}", 16)},
		{"a doubling chain of fragments", limits.LimitFields, chain(20, "...{$} ...{$}")},
		{"a repeated field in nested inline fragments", limits.LimitValidation,
			"{" + rep("...{", 25) + rep("a b c d e f g h i j k l m n o p ", 50) + rep("}", 25) + "}"},
		{"inline fragments in a chain of fragments", limits.LimitValidation, chain(40, "$ ...{"+rep("a ", 9)+"}")},
		{"fragments that spread all later ones", limits.LimitFields, dense(24)},
		{"merged fields of merged fields", limits.LimitValidation, "{" + rep("a{"+rep("b{"+rep("c ", 7)+"}", 7)+"}", 7) + "}"},
		{"aliases of a text of the schema", limits.LimitIntrospection, "{_service{" + numbered(5, "a%d:sdl ") + "}}"},
		{"texts of the schema", limits.LimitIntrospection, "{...f}fragment f on Query{" + numbered(5, "a%d:_service{sdl}") + "}"},
		{"aliases of __schema", limits.LimitIntrospection, "{" + numbered(15, "a%d:__schema{types{fields{type{fields{name args{name type{name}}}}}}}") + "}"},
	}
	l := newLimits(t, limits.Config{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := exceeded(t, check(l, tt.document)); got != tt.limit {
				t.Errorf("rejected by %q, want %q", got, tt.limit)
			}
		})
	}
}

// chain is a document of n fragments with a body, in which $ is the spread of the next fragment.
func chain(n int, body string) string {
	var b strings.Builder
	b.WriteString("{...f0}")
	for i := range n {
		next := fmt.Sprintf("...f%d", i+1)
		if i == n-1 {
			next = "id"
		}
		fmt.Fprintf(&b, "\nfragment f%d on Query{%s}", i, strings.ReplaceAll(body, "$", next))
	}
	return b.String()
}

// dense is a document of n fragments, each of which spreads all later ones.
func dense(n int) string {
	var b strings.Builder
	b.WriteString("{...f0}")
	for i := range n {
		fmt.Fprintf(&b, "\nfragment f%d on Query{a", i)
		for next := i + 1; next < n; next++ {
			fmt.Fprintf(&b, "...f%d", next)
		}
		b.WriteString("}")
	}
	return b.String()
}

func TestFragmentCycles(t *testing.T) {
	l := newLimits(t, limits.Config{})
	tests := []struct{ name, document string }{
		{"a fragment in itself", "{...f}fragment f on Query{a ...f}"},
		{"two fragments", "{...f}fragment f on Query{a{...g}}fragment g on Query{...{...f}}"},
		{"unused fragments", "{a}fragment f on Query{...g}fragment g on Query{...f}"},
		{"in introspection", "{__schema{types{...f}}}fragment f on __Type{ofType{...f}}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if e := apierror.Of(check(l, tt.document)); e == nil || e.Code != apierror.ValidationFailed {
				t.Errorf("%v", e)
			}
		})
	}
}

// TestSyntaxErrors: a document with a syntax error is rejected as such and not validated. Validation rejects the
// others.
func TestSyntaxErrors(t *testing.T) {
	l := newLimits(t, limits.Config{})
	for _, document := range []string{"{", "}", "{a", "query(", "\x00", "\xff", `{a(b:"`} {
		var e *gqlerror.Error
		if err := check(l, document); !errors.As(err, &e) || e.Extensions["code"] != errcode.ParseFailed {
			t.Errorf("%q: %v", document, err)
		}
	}
	for _, document := range []string{"", "{...missing}", "fragment f on X{a}"} {
		must(t, check(l, document))
	}
}

func TestIntrospectionPasses(t *testing.T) {
	text, err := os.ReadFile("testdata/introspection.graphql")
	must(t, err)
	l := newLimits(t, limits.Config{})
	must(t, check(l, string(text)))
	work, size := l.WorkOf(t, string(text))
	if size.Depth != 1 {
		t.Errorf("introspection counts as depth %d", size.Depth)
	}
	if work.Values*11/10 > limits.DefaultIntrospection || work.Steps*4 > limits.DefaultValidation {
		t.Errorf("the defaults are too close to what a full introspection needs: %+v", work)
	}
}

// TestEveryFieldPasses: a document with every field of the schema passes, nested links included.
func TestEveryFieldPasses(t *testing.T) {
	schema := loadSchema(t)
	var b strings.Builder
	b.WriteString("{")
	for _, field := range schema.Query.Fields {
		if strings.HasPrefix(field.Name, "__") {
			continue
		}
		b.WriteString(field.Name)
		if field.Arguments.ForName("id") != nil {
			b.WriteString(`(id:"1")`)
		}
		if field.Arguments.ForName("ids") != nil {
			b.WriteString(`(ids:["1"])`)
		}
		selectAll(&b, schema, field.Type, []string{"Query"})
	}
	b.WriteString("}")
	l := newLimits(t, limits.Config{Tokens: 4000, Bytes: 64 << 10})
	must(t, check(l, b.String()))
	work, size := l.WorkOf(t, b.String())
	t.Logf("%d bytes, %+v, %+v", b.Len(), work, size)
	if size.Fields < 500 {
		t.Errorf("only %d fields", size.Fields)
	}
}

var update = flag.Bool("update", false, "write the figures of docs/limits.md")

// TestFigures: docs/limits.md says what documents of this schema need.
func TestFigures(t *testing.T) {
	schema, l := loadSchema(t), newLimits(t, limits.Config{})
	var b strings.Builder
	selectAll(&b, schema, ast.NamedType("Notification", nil), []string{
		"Withdrawal", schema.Types["Transaction"].Fields.ForName("notifications").Type.Name(),
	})
	notifications := "{" + numbered(20, `n%d:notification(id:"1")`+strings.ReplaceAll(b.String(), "__typename ", "")) + "}"
	_, size := l.WorkOf(t, notifications)
	text, err := os.ReadFile("testdata/introspection.graphql")
	must(t, err)
	introspection, _ := l.WorkOf(t, string(text))
	const path = "../../../docs/limits.md"
	documented, err := os.ReadFile(path)
	must(t, err)
	current := string(documented)
	for figure, need := range map[string]int{
		"their transactions are": size.Fields, "the full introspection reads": introspection.Values,
	} {
		digits := strconv.Itoa(need)
		if len(digits) > 3 {
			digits = digits[:len(digits)-3] + "," + digits[len(digits)-3:]
		}
		row := regexp.MustCompile(figure + ` [0-9,]+ \|`)
		if !row.MatchString(current) {
			t.Errorf("docs/limits.md does not say what %q", figure)
		}
		current = row.ReplaceAllString(current, figure+" "+digits+" |")
	}
	if *update {
		must(t, os.WriteFile(path, []byte(current), 0o600))
	} else if current != string(documented) {
		t.Error("docs/limits.md has other figures: run go test ./graph/guard/limits -run Figures -update")
	}
}

func selectAll(b *strings.Builder, schema *ast.Schema, of *ast.Type, above []string) {
	definition := schema.Types[of.Name()]
	if definition.IsLeafType() {
		b.WriteString(" ")
		return
	}
	b.WriteString("{__typename ")
	for _, field := range definition.Fields {
		if !slices.Contains(above, field.Type.Name()) {
			b.WriteString(field.Name)
			selectAll(b, schema, field.Type, append(above, definition.Name))
		}
	}
	b.WriteString("}")
}
