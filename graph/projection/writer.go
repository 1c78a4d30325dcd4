package projection

import (
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// writer writes one root field's answer.
type writer struct {
	ctx  context.Context // of the root field, for the links in its selection
	buf  []byte
	errs []failure
	// slots is where the members of the object that is being written are, by the places of their names; those of the
	// objects around it are before.
	slots [][]byte
}

// place is where in the answer something stands.
type place struct {
	parent *place
	name   string // of a field
	index  int    // of an element, where the name is ""
}

func (p *place) field(name string) *place { return &place{parent: p, name: name} }

func (p *place) path() ast.Path {
	if p == nil {
		return nil
	}
	if p.name == "" {
		return append(p.parent.path(), ast.PathIndex(p.index))
	}
	return append(p.parent.path(), ast.PathName(p.name))
}

// failure is an error and its place.
type failure struct {
	path     ast.Path
	err      error
	position *ast.Position // of the field in the document; nil for an element of a list, as in the reference
}

func (f failure) located() *gqlerror.Error {
	err := gqlerror.WrapPath(f.path, f.err)
	if f.position != nil && f.position.Line > 0 {
		err.Locations = []gqlerror.Location{{Line: f.position.Line, Column: f.position.Column}}
	}
	return err
}

// fail notes an error.
func (w *writer) fail(at *place, err error, position *ast.Position) {
	w.errs = append(w.errs, failure{at.path(), err, position})
}

// mark is a point to go back to when what is being written turns out to be null.
type mark struct{ buf, errs int }

func (w *writer) mark() mark { return mark{len(w.buf), len(w.errs)} }

// undo forgets what was written since a mark, and all errors but the last: the one that makes it null.
func (w *writer) undo(m mark) {
	w.buf = w.buf[:m.buf]
	if len(w.errs) > m.errs {
		w.errs = append(w.errs[:m.errs], w.errs[len(w.errs)-1])
	}
}

func (w *writer) null() { w.buf = append(w.buf, "null"...) }

func (w *writer) boolean(value bool) {
	if value {
		w.buf = append(w.buf, "true"...)
	} else {
		w.buf = append(w.buf, "false"...)
	}
}

// quoted writes a text of ours that needs no escapes.
func (w *writer) quoted(text string) {
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, text...)
	w.buf = append(w.buf, '"')
}

// finished is an answer that is written already.
type finished []byte

// MarshalGQL implements graphql.Marshaler.
func (f finished) MarshalGQL(w io.Writer) { _, _ = w.Write(f) }

var _ graphql.Marshaler = finished(nil)
