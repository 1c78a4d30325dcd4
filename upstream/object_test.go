package upstream_test

import (
	"encoding/json"
	"errors"
	"strings"
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

func TestDecodeAcceptsOneJSONObject(t *testing.T) {
	tests := []struct {
		name, document string
		want           bool
	}{
		{"empty object", `{}`, true},
		{"space around", " \t\r\n{\n} \n", true},
		{"one member", `{"id":"1"}`, true},
		{"escapes in names", `{"\u0069d":"1","\ud83d\ude00":2,"\ud800":3}`, true},
		{"empty", ``, false},
		{"space", ` `, false},
		{"null", `null`, false},
		{"array", `[{}]`, false},
		{"string", `"{}"`, false},
		{"number", `7`, false},
		{"byte order mark", "\ufeff{}", false},
		{"vertical tab", "\v{}", false},
		{"NUL after it", "{}\x00", false},
		{"no-break space after it", "{}\u00a0", false},
		{"comma after it", `{},`, false},
		{"second document", `{}{}`, false},
		{"second document truncated", `{} {"a":`, false},
		{"array truncated after it", `{} [`, false},
		{"string truncated after it", `{} "\u00`, false},
		{"number truncated after it", `{} 1e`, false},
		{"literal truncated after it", `{} nul`, false},
		{"truncated", `{"id":"1"`, false},
		{"truncated in a name", `{"id`, false},
		{"comma before the end", `{"id":1,}`, false},
		{"two commas", `{"a":1,,"b":2}`, false},
		{"no colon", `{"id" 1}`, false},
		{"name without quotes", `{id:1}`, false},
		{"single quotes", `{'id':1}`, false},
		{"comment", `{}//`, false},
		{"leading zero", `{"a":01}`, false},
		{"dot without digits", `{"a":1.}`, false},
		{"plus sign", `{"a":+1}`, false},
		{"NaN", `{"a":NaN}`, false},
		{"misspelt literal", `{"a":nulx}`, false},
		{"control character in a string", "{\"a\":\"\x01\"}", false},
		{"line break in a string", "{\"a\":\"\n\"}", false},
		{"invalid escape", `{"a":"\x41"}`, false},
		{"escape with invalid digits", `{"a":"\u00g0"}`, false},
		{"nested invalid literal", `{"a":{"b":[1,{"c":tru}]}}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := upstream.Decode[upstream.Deposit]([]byte(tt.document))
			if got := err == nil; got != tt.want {
				t.Fatalf("error = %v, want one: %v", err, !tt.want)
			}
			if err != nil && upstream.KindOf(err) != upstream.KindInvalidResponse {
				t.Errorf("kind = %v", upstream.KindOf(err))
			}
			if tt.want != (json.Valid([]byte(tt.document)) && strings.HasPrefix(strings.TrimSpace(tt.document), "{")) {
				t.Error("encoding/json disagrees with the table")
			}
		})
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
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Acquirer()
			if tt.want == "" {
				wantInvalid(t, err, "acquirer")
			} else if err != nil || got.String() != tt.want {
				t.Errorf("got %q, %v; want %q", got.String(), err, tt.want)
			}
		})
	}
}

// TestDeepNesting: a document that nests very deeply is rejected, without a stack overflow and without a pass for each level.
func TestDeepNesting(t *testing.T) {
	const levels = 100_000
	tests := []struct {
		name, document string
	}{
		{"arrays", `{"metadata":` + strings.Repeat(`[`, levels) + strings.Repeat(`]`, levels) + `}`},
		{"objects", `{"metadata":` + strings.Repeat(`{"a":`, levels) + `1` + strings.Repeat(`}`, levels) + `}`},
		{"unclosed arrays", `{"metadata":` + strings.Repeat(`[`, levels)},
		{"unclosed objects", strings.Repeat(`{"metadata":`, levels)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := upstream.Decode[upstream.Transaction]([]byte(tt.document)); upstream.KindOf(err) != upstream.KindInvalidResponse {
				t.Errorf("error = %v", err)
			}
			if _, err := upstream.DecodePage[upstream.Transaction]([]byte(tt.document)); err == nil {
				t.Error("it is accepted as a page")
			}
		})
	}
}

// TestInvalidElements: an invalid element of a list does not affect the other elements.
func TestInvalidElements(t *testing.T) {
	tx, err := upstream.Decode[upstream.Transaction]([]byte(`{"items":[{"title":"kept"}, null, 7, [], {"title":null}, {}]}`))
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
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
