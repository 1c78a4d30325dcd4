package persisted_test

import (
	"slices"
	"testing"

	"pixgraph/graph/guard/persisted"
)

// FuzzReadOperations: a manifest that the reader accepts has documents with a text and unique ids of a valid length.
// The reader never panics.
func FuzzReadOperations(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		operations, err := persisted.ReadOperations(raw)
		if err != nil {
			if operations != nil {
				t.Errorf("%d documents with an error", len(operations))
			}
			return
		}
		if len(operations) == 0 {
			t.Error("no document without an error")
		}
		var ids []string
		for _, o := range operations {
			if o.ID == "" || len(o.ID) > 256 || o.Text == "" {
				t.Errorf("document %q of %d bytes", o.ID, len(o.Text))
			}
			ids = append(ids, o.ID)
		}
		slices.Sort(ids)
		if len(slices.Compact(ids)) != len(operations) {
			t.Error("two documents have the same id")
		}
	})
}
