package projection

import "pixgraph/upstream"

// link writes the record that a link leads to; null where it leads nowhere, or the record cannot be had.
func (w *writer) link(f *field, wait func() (*upstream.Raw, error), parent *place) {
	at := parent.field(f.alias)
	found, err := wait()
	if err != nil {
		w.fail(at, err, f.position)
	}
	if err != nil || found == nil || !w.object(f.sub, *found, at) {
		w.null()
	}
}
