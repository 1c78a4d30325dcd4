package upstream_test

import (
	"errors"
	"testing"

	"pixgraph/upstream"
)

// wantInvalid checks that err is the error for a member that breaks the contract.
func wantInvalid(t *testing.T, err error, member string) {
	t.Helper()
	var failed *upstream.Error
	switch {
	case !errors.As(err, &failed):
		t.Errorf("error = %v, want an *upstream.Error", err)
	case failed.Kind != upstream.KindInvalidResponse, failed.Op != "read "+member, failed.Service != upstream.Core:
		t.Errorf("error = %#v, want an invalid response of core in %s", failed, member)
	}
}

func TestMembers(t *testing.T) {
	tests := []struct {
		name, document, want string
	}{
		{"the last of two members counts", `{"acquirer":"first","acquirer":"last"}`, "last"},
		{"the last of two members counts, escaped", `{"acquirer":"first","\u0061cquirer":"last"}`, "last"},
		{"the last of two members counts, null", `{"acquirer":"first","acquirer":null}`, ""},
		{"escaped name", `{"\u0061c\u0071uirer":"it"}`, "it"},
		{"names are case-sensitive", `{"Acquirer":"no","ACQUIRER":"no","acquirer ":"no"}`, ""},
		{"not the member of a nested object", `{"payer":{"acquirer":"no"}}`, ""},
		{"space around", "{ \"acquirer\"\t:\n\"it\" }", "it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := upstream.Decode[upstream.Deposit]([]byte(tt.document))
			must(t, err)
			got, err := d.Acquirer()
			if tt.want == "" {
				wantInvalid(t, err, "acquirer")
			} else if err != nil || got.String() != tt.want {
				t.Errorf("got %q, %v; want %q", got.String(), err, tt.want)
			}
		})
	}
}

// TestInvalidElements: an invalid element of a list does not affect the other elements.
func TestInvalidElements(t *testing.T) {
	tx, err := upstream.Decode[upstream.Transaction]([]byte(`{"items":[{"title":"kept"}, null, 7, [], {"title":null}, {}]}`))
	must(t, err)
	items, err := tx.Items()
	if err != nil || len(items) != 6 {
		t.Fatalf("got %d items, %v", len(items), err)
	}
	for i, want := range []bool{true, false, false, false, true, true} {
		if got := items[i].Err == nil; got != want || got != (items[i].Value != nil) {
			t.Errorf("item %d = %+v", i, items[i])
		}
		if items[i].Err != nil {
			wantInvalid(t, items[i].Err, "items element")
		}
	}
	if title, err := items[0].Value.Title(); err != nil || title.String() != "kept" {
		t.Errorf("title = %q, %v", title.String(), err)
	}
	_, err = items[4].Value.Title()
	wantInvalid(t, err, "title")

	n, err := upstream.Decode[upstream.Notification]([]byte(`{"tags":["a", null, "\ud800", 1, "b"]}`))
	must(t, err)
	tags, err := n.Tags()
	if err != nil || len(tags) != 5 {
		t.Fatalf("got %d tags, %v", len(tags), err)
	}
	for i, want := range []string{"a", "", "", "", "b"} {
		if want == "" {
			wantInvalid(t, tags[i].Err, "tags element")
		} else if tags[i].Err != nil || tags[i].Value.String() != want {
			t.Errorf("tag %d = %+v", i, tags[i])
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
