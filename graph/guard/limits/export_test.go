package limits

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// Work is the work of measuring a document: the nodes visited to expand it, the counted steps of validation, and the
// values of the schema that were read.
type Work struct{ Nodes, Steps, Values int }

// Size is the size of an expanded document.
type Size struct{ Fields, Depth int }

// WorkOf measures a document without any limit.
func (l *Limits) WorkOf(t testing.TB, text string) (work Work, of Size) {
	t.Helper()
	document, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		t.Fatal(err)
	}
	var s survey
	if err := s.document(document); err != nil {
		t.Fatal(err)
	}
	for _, at := range s.definitions {
		work.Nodes += at.nodes
	}
	m := validationWork{limit: 1 << 20, fragments: s.fragments}
	m.document(s.definitions) // ends at its limit
	const values = 1 << 20
	r := introspectionCounter{schema: l.schema, fragments: s.fragments, left: values}
	r.document(document)
	work.Steps, work.Values = m.steps, values-max(0, r.left)
	return work, Size{s.total.fields, s.total.depth}
}

// Buckets is the number of callers and of addresses with a bucket.
func (l *Limits) Buckets() (identities, addresses int) {
	if b := l.rate.identities; b != nil {
		identities = b.byKey.Len()
	}
	if b := l.rate.addresses; b != nil {
		addresses = b.byKey.Len()
	}
	return identities, addresses
}

// ClientKey is the key of a request's address.
func ClientKey(r *http.Request, trusted []netip.Prefix) string {
	return addressKeyOf(clientAddress(r, trusted))
}
