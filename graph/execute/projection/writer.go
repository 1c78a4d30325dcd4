package projection

import (
	"context"
	"strconv"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/deferral"
	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
	"pixgraph/upstream/wire"
)

// writer writes one root field of a response.
type writer struct {
	buf []byte // from package buffer
	bound
	errs      []failure
	maxErrors int        // limit of errs; 0 means none
	path      []step     // the current path
	links     *following // nil if the selection has no links
	ctx       context.Context
	turn      *quota.Turn // of the operation; nil for none
	captured  []deferral.Capture
	// slots are the members of the object that is being written, by the slots of their names, after those of the
	// enclosing objects.
	slots []wire.Value
}

// writers pools the grown slices of writers, a few KiB each: a path, and slots for at most as many fields as 15 nested
// objects have. The garbage collector frees unused ones.
var writers = sync.Pool{New: func() any { return new(writer) }}

// newWriter returns a writer for a value of an expected size. The caller releases it.
func (e execution) newWriter(size int) *writer {
	w := writers.Get().(*writer)
	w.maxErrors, w.ctx, w.turn = e.config.MaxErrors, e.ctx, e.turn
	w.open(e.account, min(size+sizeMargin, buffer.MaxSize))
	return w
}

// step lets other operations compute between two parts of a response.
func (w *writer) step() { w.turn.Step(w.ctx) }

// release returns the writer to the pool, without the response.
func (w *writer) release() {
	clear(w.slots[:cap(w.slots)]) // they reference data of the API
	*w = writer{path: w.path[:0], slots: w.slots[:0]}
	writers.Put(w)
}

// step is an element of a path.
type step struct {
	name  string // the response key of a field
	index int    // the index of an element, if name is ""
}

func (w *writer) enter(name string) { w.path = append(w.path, step{name: name}) }

func (w *writer) enterElement(index int) { w.path = append(w.path, step{index: index}) }

func (w *writer) leave() { w.path = w.path[:len(w.path)-1] }

// failure is an error with its path.
type failure struct {
	path ast.Path
	err  error
}

// fail adds an error at the current path. Above the maximum number of errors, it replaces the last one: the response
// shows only the errors before the last one, and undo needs only the last one.
func (w *writer) fail(err error) {
	failed := failure{w.fullPath(), err}
	if w.maxErrors > 0 && len(w.errs) > w.maxErrors {
		w.errs[len(w.errs)-1] = failed
		return
	}
	w.errs = append(w.errs, failed)
}

// fullPath returns the current path.
func (w *writer) fullPath() ast.Path {
	path := make(ast.Path, len(w.path), len(w.path)+1)
	for i, s := range w.path {
		if path[i] = ast.PathName(s.name); s.name == "" {
			path[i] = ast.PathIndex(s.index)
		}
	}
	return path
}

// failField adds an error of a field of the current object.
func (w *writer) failField(f *field, err error) {
	w.enter(f.alias)
	w.fail(err)
	w.leave()
}

// mark is a state to return to if the value that is being written turns out to be null.
type mark struct{ buf, errs, captured int }

func (w *writer) mark() mark { return mark{len(w.buf), len(w.errs), len(w.captured)} }

// undo removes the output since a mark, the objects in it, and all errors since then except the last, which made the
// value null.
func (w *writer) undo(m mark) {
	w.buf, w.captured = w.buf[:m.buf], w.captured[:m.captured]
	if len(w.errs) > m.errs {
		w.errs = append(w.errs[:m.errs], w.errs[len(w.errs)-1])
	}
}

// elements writes a list of n elements by write, which is called within the path of an element, and returns false if
// the element is null.
func (w *writer) elements(n int, write func(i int) bool) {
	w.buf = append(w.buf, '[')
	for i := range n {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if !w.reserve(elementBytes) {
			break
		}
		w.step()
		w.enterElement(i)
		if !write(i) {
			w.null()
		}
		w.leave()
	}
	w.buf = append(w.buf, ']')
}

// raw writes a value unchanged.
func (w *writer) raw(value []byte) {
	if w.reserve(len(value)) {
		w.buf = append(w.buf, value...)
	}
}

func (w *writer) null() { w.buf = append(w.buf, "null"...) }

func (w *writer) boolean(value bool) { w.buf = strconv.AppendBool(w.buf, value) }

// quoted writes a string of the gateway that needs no escapes.
func (w *writer) quoted(text string) {
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, text...)
	w.buf = append(w.buf, '"')
}
