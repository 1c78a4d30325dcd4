package persisted

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// FuzzReadOperations: a manifest that the reader accepts has documents with a text and unique ids of a valid length.
// The reader never panics.
func FuzzReadOperations(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		operations, err := ReadOperations(raw)
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
			if o.ID == "" || len(o.ID) > maxID || o.Text == "" {
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

// FuzzParseDigest compares parseDigest with encoding/hex.
func FuzzParseDigest(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseDigest(text)
		raw, err := hex.DecodeString(text)
		want := err == nil && len(raw) == len(got) && text == strings.ToLower(text)
		if ok != want || ok && string(got[:]) != string(raw) {
			t.Errorf("%q: %x, %v", text, got, ok)
		}
	})
}
