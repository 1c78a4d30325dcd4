package limits_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"pixgraph/graph/apierror"
	"pixgraph/graph/guard/limits"
)

// FuzzDocument measures any text. An accepted document is within its limits by a count that expands each fragment. An
// accepted text is accepted a second time. A rejection is an error of a limit or of the syntax, or a cycle of
// fragments.
func FuzzDocument(f *testing.F) {
	introspection, err := os.ReadFile("testdata/introspection.graphql")
	must(f, err)
	for _, seed := range []string{
		string(introspection), strings.ReplaceAll(chain(25, "$ $ $"), "{id id id}", "{...missing}"), "", "{",
		"{a}", "{a:b ...f}fragment f on Query{c{...g}}fragment g on X{d e:f}",
		"{...f}fragment f on Query{...f}", chain(6, "$ $ a"), "query($v:[[Int!]]=[[1]]){a(b:{c:[$v]})@x(y:1)}",
		"{" + strings.Repeat("...{", 20) + "a" + strings.Repeat("}", 21), dense(5), "{a}{b}fragment f on X{a}fragment f on X{b{c}}",
	} {
		f.Add(seed)
	}
	config := limits.Config{Fields: 200, Depth: 6, Validation: 20_000}
	l := newLimits(f, config)
	f.Fuzz(func(t *testing.T, text string) {
		err := check(l, text)
		if err != nil {
			var (
				limited *apierror.Error
				invalid *gqlerror.Error
			)
			if errors.As(err, &limited) || errors.As(err, &invalid) && invalid.Rule == "NoFragmentCycles" {
				return
			}
			if _, err := parser.ParseQuery(&ast.Source{Input: text}); err == nil {
				t.Fatalf("rejected without an error of its syntax: %v", err)
			}
			return
		}
		if err := check(l, text); err != nil {
			t.Fatalf("accepted at first, then rejected: %v", err)
		}
		document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, limits.DefaultTokens)
		must(t, err)
		n := naive{document: document, left: 100_000}
		for _, operation := range document.Operations {
			n.set(operation.SelectionSet, 1)
		}
		if n.left <= 0 {
			return // spreads of unknown fragments can double without a field
		}
		if n.fields > config.Fields || n.depth > config.Depth {
			t.Fatalf("accepted with %d fields, depth %d", n.fields, n.depth)
		}
		if _, size := l.WorkOf(t, text); size.Fields != n.fields || size.Depth != n.depth {
			t.Fatalf("measured %+v, want %d fields, depth %d", size, n.fields, n.depth)
		}
	})
}

// naive counts a document with every fragment expanded at every spread.
type naive struct {
	document      *ast.QueryDocument
	left          int // visits
	fields, depth int
}

func (n *naive) set(set ast.SelectionSet, depth int) {
	for _, selection := range set {
		if n.left--; n.left <= 0 {
			return
		}
		switch selection := selection.(type) {
		case *ast.Field:
			n.fields++
			n.depth = max(n.depth, depth)
			next := depth + 1
			if selection.Name == "__schema" || selection.Name == "__type" || depth == introspected {
				next = introspected
			}
			n.set(selection.SelectionSet, next)
		case *ast.InlineFragment:
			n.set(selection.SelectionSet, depth)
		case *ast.FragmentSpread:
			if fragment := n.document.Fragments.ForName(selection.Name); fragment != nil {
				n.set(fragment.SelectionSet, depth)
			}
		}
	}
}

// introspected is the depth of fields in an introspection.
const introspected = 0

// FuzzForwardedFor: any header leads to a key that is no longer than an address.
func FuzzForwardedFor(f *testing.F) {
	for _, seed := range []string{"", "1.2.3.4", "1.2.3.4, 10.0.0.1", "[::1]:80", ",,,", "fe80::1%x, 10.1.1.1", "unknown"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if key := forwardedKey(header); key == "" || len(key) > 64 {
			t.Fatalf("%q", key)
		}
	})
}
