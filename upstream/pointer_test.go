package upstream_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

// rfc6901 is the document of RFC 6901, section 5, with strings instead of numbers, because Strings returns strings.
const rfc6901 = `{
	"foo": ["bar", "baz"], "": "0", "a/b": "1", "c%d": "2", "e^f": "3", "g|h": "4", "i\\j": "5", "k\"l": "6", " ": "7",
	"m~n": "8"
}`

func TestPointerStrings(t *testing.T) {
	const ids = `{"ids":["a",["no"],null,7,{"b":"no"},"\ud800","b"],"one":"c","deep":{"list":[{"id":"d"}]},"~1":"e","01":"f"}`
	tests := []struct {
		name, pointer, document string
		want                    []string
	}{
		{"RFC 6901: array", "/foo", rfc6901, []string{"bar", "baz"}},
		{"RFC 6901: element", "/foo/0", rfc6901, []string{"bar"}},
		{"RFC 6901: empty name", "/", rfc6901, []string{"0"}},
		{"RFC 6901: slash in a name", "/a~1b", rfc6901, []string{"1"}},
		{"RFC 6901: percent", "/c%d", rfc6901, []string{"2"}},
		{"RFC 6901: circumflex", "/e^f", rfc6901, []string{"3"}},
		{"RFC 6901: bar", "/g|h", rfc6901, []string{"4"}},
		{"RFC 6901: backslash", `/i\j`, rfc6901, []string{"5"}},
		{"RFC 6901: quote", `/k"l`, rfc6901, []string{"6"}},
		{"RFC 6901: space", "/ ", rfc6901, []string{"7"}},
		{"RFC 6901: tilde in a name", "/m~0n", rfc6901, []string{"8"}},
		{"~01 is ~1, not /", "/~01", ids, []string{"e"}},
		{"strings of an array, other elements are skipped", "/ids", ids, []string{"a", "b"}},
		{"one string", "/one", ids, []string{"c"}},
		{"through arrays and objects", "/deep/list/0/id", ids, []string{"d"}},
		{"a number is a name in an object", "/01", ids, []string{"f"}},
		{"escapes are decoded", "/a", `{"a":"\u0062"}`, []string{"b"}},
		{"the whole document, a string", "", `"a"`, []string{"a"}},
		{"the whole document, an array", "", `["a","b"]`, []string{"a", "b"}},
		{"the whole document, an object", "", `{"a":"b"}`, nil},
		{"no such member", "/none", ids, nil},
		{"nothing below a string", "/one/0", ids, nil},
		{"a name in an array", "/ids/one", ids, nil},
		{"past the end", "/ids/7", ids, nil},
		{"the element after the last", "/ids/-", ids, nil},
		{"negative index", "/ids/-1", ids, nil},
		{"index with a sign", "/foo/+1", rfc6901, nil},
		{"index with a leading zero", "/foo/01", rfc6901, nil},
		{"index with leading zeros for 0", "/foo/00", rfc6901, nil},
		{"index beyond an int", "/foo/99999999999999999999", rfc6901, nil},
		{"a number", "/a", `{"a":7}`, nil},
		{"null", "/a", `{"a":null}`, nil},
		{"below null", "/a/b", `{"a":null}`, nil},
		{"an object", "/a", `{"a":{"b":"c"}}`, nil},
		{"an empty array", "/a", `{"a":[]}`, nil},
		{"no document", "/a", ``, nil},
		{"no document, whole", "", ``, nil},
		{"not JSON", "/a", `{"a":"b"`, nil},
		{"not JSON, whole", "", `"\ud8`, nil},
		{"not JSON, an escape at the end", "", `"\`, nil},
		{"only a quote", "", `"`, nil},
		{"space around", "", " [ \"a\" ] ", []string{"a"}},
		{"very deep nesting", "/a", `{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pointer, err := upstream.ParsePointer(tt.pointer)
			must(t, err)
			if got, err := pointer.Strings(upstream.JSON(tt.document)); !slices.Equal(got, tt.want) || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestPointerIntoLongArray tests that nothing is said about an array that is too long to be read.
func TestPointerIntoLongArray(t *testing.T) {
	document := upstream.JSON(`{"ids":[` + strings.Repeat(`"a",`, 1000) + `"a"]}`)
	for _, pointer := range []upstream.Pointer{{"ids"}, {"ids", "0"}} {
		if got, err := pointer.Strings(document); got != nil || !errors.Is(err, wire.ErrTooMany) {
			t.Errorf("%s: got %q, %v", pointer, got, err)
		}
	}
}

func TestParsePointer(t *testing.T) {
	for _, text := range []string{"notificationIds", "#/notificationIds", " /a", "a/b", "/a~", "/~2", "/a~~0"} {
		if p, err := upstream.ParsePointer(text); err == nil {
			t.Errorf("%q is read as %q", text, p)
		}
	}
}
