package persisted

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// FuzzReadOperations: whatever the reader takes is JSON in UTF-8 whose documents have unique ids of a proper length and
// a text, and it never panics.
func FuzzReadOperations(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		operations, err := readOperations(raw)
		if err != nil {
			if operations != nil {
				t.Errorf("an error and %d documents", len(operations))
			}
			return
		}
		if len(operations) == 0 {
			t.Error("no error and no document")
		}
		var ids []string
		for _, o := range operations {
			if o.id == "" || len(o.id) > maxID || o.text == "" {
				t.Errorf("document %q of %d bytes", o.id, len(o.text))
			}
			ids = append(ids, o.id)
		}
		slices.Sort(ids)
		if len(slices.Compact(ids)) != len(operations) {
			t.Error("an id is there twice")
		}
	})
}

// FuzzParseDigest holds parseDigest to encoding/hex.
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
