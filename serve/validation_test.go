package serve_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
)

// TestEscapes: a string in a document reaches the API without its escapes. An escape that is not a character is an
// error.
func TestEscapes(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		for name, tt := range map[string]struct{ literal, want string }{
			"a surrogate pair":           {`"12345678\ud83d\ude00"`, "12345678😀"},
			"a pair in upper case":       {`"12345678\uD83D\uDE00"`, "12345678😀"},
			"braces":                     {`"12345678\u{1F600}\u{e9}"`, "12345678😀é"},
			"braces around a quote":      {`"12345678\u{22}\u{5C}"`, `12345678"\`},
			"four digits":                {`"12345678\u00e9\n"`, "12345678é\n"},
			"an escaped backslash":       {`"12345678\\ud83d"`, `12345678\ud83d`},
			"a block string":             {`"""12345678\ud83d"""`, `12345678\ud83d`},
			"a block string with quotes": {`"""12345678\"""\ud83d"""`, `12345678"""\ud83d`},
			"after a comment":            {"# \"\\ud83d\n\"12345678\\ud83d\\ude00\"", "12345678😀"},
			"a replacement character":    {`"12345678\ufffd é �"`, "12345678\ufffd é �"},
			"half a pair after others":   {`"é😀 12345678\ud83d"`, ""},
			"half a pair":                {`"12345678\ud83d"`, ""},
			"the second half":            {`"12345678\ude00"`, ""},
			"halves in the wrong order":  {`"12345678\ude00\ud83d"`, ""},
			"half a pair in braces":      {`"12345678\u{d83d}"`, ""},
			"above Unicode":              {`"12345678\u{110000}"`, ""},
			"braces that do not end":     {`"12345678\u{1F600"`, ""},
			"a string that does not end": {`"12345678\ud83d\ude00`, ""},
		} {
			g.row(name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				a := g.Query("{ withdrawals(filter: { externalCode: " + tt.literal + " }) { totalCount } }")
				if tt.want == "" {
					if len(a.Errors) != 1 || a.Data != nil {
						t.Errorf("%s", a.Body)
					}
					g.WantNoCalls()
					return
				}
				a.WantOK()
				if calls := g.Box.Calls(); len(calls) != 1 || calls[0].Query.Get("externalCode") != tt.want {
					t.Errorf("sent %v, want %q", calls, tt.want)
				}
			})
		}
	})
}

// TestEscapesInDescriptions: half a surrogate pair in a description is an error too.
func TestEscapesInDescriptions(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		for document, valid := range map[string]bool{
			`"\ud83d\ude00" query { __typename }`: true, `"\ud83d" query { __typename }`: false,
			`{ ...F } "\ude00" fragment F on Query { __typename }`: false,
		} {
			if a := g.Query(document); (len(a.Errors) == 0) != valid {
				t.Errorf("%s: %s", document, a.Body)
			}
		}
	})
}

// TestErrorsAreUnique: a mistake in a document is one error, however often validation visits it.
func TestErrorsAreUnique(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		const ten = "@a @b @c @d @e @f @g @h @i @j"
		for name, document := range map[string]string{
			"on a field":                  "{ deposits " + ten + " { totalCount } }",
			"ten of one name":             "{ deposits @a @a @a @a @a @a @a @a @a @a { totalCount } }",
			"in a fragment":               "{ ...F } fragment F on Query { deposits " + ten + " { totalCount } }",
			"in a fragment of operations": "query A { ...F } query B { ...F } fragment F on Query { deposits " + ten + " { totalCount } }",
		} {
			g.row(name, func(t testing.TB, g *gateway) {
				if a := g.Query(document); len(a.Errors) != 10 {
					t.Errorf("%d errors: %s", len(a.Errors), a.Body)
				}
			})
		}
		if a := g.Query("query($x: Boolean!) { deposits @include(if: $x) @include(if: $x) { totalCount } }", variables{"x": true}); len(a.Errors) != 1 {
			t.Errorf("%s", a.Body)
		}
	})
}

// TestEscapesInManyStrings: the memory for checking strings does not grow with their number times the length of the
// document.
func TestEscapesInManyStrings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t)
		document := `{ transactions(ids: ["\u0041", "` + strings.Repeat("x", 25_000) + `"` + strings.Repeat(`, "�"`, 900) + `]) { id } }`
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		g.Query(document).WantError("BAD_USER_INPUT", "transactions")
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 20<<20 {
			t.Errorf("%d bytes are allocated for a document of %d", allocated, len(document))
		}
	})
}
