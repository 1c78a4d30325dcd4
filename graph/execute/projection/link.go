package projection

import "pixgraph/upstream"

// link writes the record that a link leads to. It writes null if the link has no record, or if the record cannot be
// fetched.
func (w *writer) link(f *field, wait func() (*upstream.Raw, error)) {
	found, err := wait()
	w.enter(f.alias)
	if err != nil {
		w.fail(err, f.position)
	}
	if err != nil || found == nil || !w.object(f.sub, *found) {
		w.null()
	}
	w.leave()
}
