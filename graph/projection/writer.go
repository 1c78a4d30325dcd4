package projection

import (
	"context"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
	"pixgraph/upstream/wire"
)

// writer writes one root field's answer.
type writer struct {
	ctx   context.Context // of the root field, for the links in its selection
	buf   []byte
	begin int // of the answer in buf; see finished
	bound
	errs      []failure
	maxErrors int    // of errs; 0 for any number
	path      []step // to what is being written
	// slots are the members of the object that is being written, by the places of their names; those of the objects around
	// it are before.
	slots []wire.Value
}

// writers keeps what writers have grown: a path and the places of members, a few KiB, as many as there are fields of 15 levels
// at most. The collector takes those that are not used.
var writers = sync.Pool{New: func() any { return new(writer) }}

// newWriter makes a writer for a root field, whose answer is expected to be of that size. It is released at its end.
func newWriter(ctx context.Context, account *quota.Account, alias string, size, maxErrors int) *writer {
	w := writers.Get().(*writer)
	w.ctx, w.maxErrors = ctx, maxErrors
	w.begin = len(`{"":`) + len(alias)
	w.buf = buffer.Get(w.begin + min(size, buffer.Most-w.begin))[:w.begin]
	w.open(account, cap(w.buf))
	w.enter(alias)
	return w
}

// release gives up all but the answer.
func (w *writer) release() {
	clear(w.slots[:cap(w.slots)]) // they hold on to what the API sent
	*w = writer{path: w.path[:0], slots: w.slots[:0]}
	writers.Put(w)
}

// step is one part of a path.
type step struct {
	name  string // of a field: its response key
	index int    // of an element, where the name is ""
}

func (w *writer) enter(name string) { w.path = append(w.path, step{name: name}) }

func (w *writer) enterElement(index int) { w.path = append(w.path, step{index: index}) }

func (w *writer) leave() { w.path = w.path[:len(w.path)-1] }

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

// fail notes an error of what is being written. Where there are as many as are kept, it takes the place of the last one:
// undo keeps the last, and an answer shows only the ones before it.
func (w *writer) fail(err error, position *ast.Position) {
	failed := failure{w.fullPath(), err, position}
	if w.maxErrors > 0 && len(w.errs) > w.maxErrors {
		w.errs[len(w.errs)-1] = failed
		return
	}
	w.errs = append(w.errs, failed)
}

// fullPath is the path to what is being written.
func (w *writer) fullPath() ast.Path {
	path := make(ast.Path, len(w.path), len(w.path)+1)
	for i, s := range w.path {
		if path[i] = ast.PathName(s.name); s.name == "" {
			path[i] = ast.PathIndex(s.index)
		}
	}
	return path
}

// failField notes an error of a field of the object that is being written.
func (w *writer) failField(f *field, err error) {
	w.enter(f.alias)
	w.fail(err, f.position)
	w.leave()
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

// raw writes a value as it was sent.
func (w *writer) raw(value []byte) {
	if w.reserve(len(value)) {
		w.buf = append(w.buf, value...)
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
