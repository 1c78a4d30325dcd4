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
type Size struct{ Fields, Aliases, Depth int }

// WorkOf measures a document without any limit.
func (l *Limits) WorkOf(t testing.TB, text string) (Work, Size) {
	t.Helper()
	const unlimited = 1 << 40
	config := Config{
		Bytes: unlimited, Definitions: unlimited, Variables: unlimited, Directives: unlimited, Nesting: unlimited,
		Depth: unlimited, Fields: 1<<63 - 1, Aliases: 1<<63 - 1, Repetitions: unlimited, RootFields: unlimited, Validation: 1 << 20,
	}
	document, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		t.Fatal(err)
	}
	w := syntaxCounter{config: config}
	if err := w.document(document); err != nil {
		t.Fatal(err)
	}
	e := expansion{config: config, fragments: w.fragments, sizes: map[*definition]*size{}}
	if err := e.document(w.definitions); err != nil {
		t.Fatal(err)
	}
	var total Size
	for at, s := range e.sizes {
		if at.operation {
			total = Size{plus(total.Fields, s.fields), plus(total.Aliases, s.aliases), max(total.Depth, s.depth)}
		}
	}
	m := validationWork{config: config, fragments: w.fragments}
	_ = m.document(w.definitions) // fails at its limit
	const values = 1 << 20
	r := introspectionCounter{schema: l.schema, fragments: w.fragments, left: values}
	r.document(document)
	return Work{e.steps, m.steps, values - max(0, r.left)}, total
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
