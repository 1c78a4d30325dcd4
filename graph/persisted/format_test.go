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
	for _, seed := range []string{
		``, `{}`, `[]`, `null`, `{"a":"{ name }"}`, `{"a":""}`, `{"a":"x","a":"y"}`, `{"a":{"b":[1e400]}}`, "\xef\xbb\xbf{}",
		`{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"a","name":"A","type":"query","body":"query A { name }"}]}`,
		`{"format":"apollo-persisted-query-manifest","version":1,"operations":[null,1,"a",[],{}]}`,
		`{"operations":"{ name }"}`, `{"a":"\ud800"}`, `{"\ud800":"a","\ud801":"b"}`,
	} {
		f.Add([]byte(seed))
	}
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
	f.Add("7dba4bd717b41f10434822356a93c32b1fb4907b983e854300ad839f84cdcd6e")
	f.Add("7DBA4BD717B41F10434822356A93C32B1FB4907B983E854300AD839F84CDCD6E")
	f.Add("7dba4bd717b41f10434822356a93c32b1fb4907b983e854300ad839f84cdcd6")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseDigest(text)
		raw, err := hex.DecodeString(text)
		want := err == nil && len(raw) == len(got) && text == strings.ToLower(text)
		if ok != want || ok && string(got[:]) != string(raw) {
			t.Errorf("%q: %x, %v", text, got, ok)
		}
	})
}
