package projection

import "pixgraph/upstream"

// link writes the record that a link leads to; null where it leads nowhere, or the record cannot be had.
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
