package check

import (
	"strings"
	"testing"
)

// FuzzScan: the text of templates stays at its place and everything else is a space, and the scanner finds the template
// that follows any code.
func FuzzScan(f *testing.F) {
	for _, code := range []string{
		"", "const re = /[`'\"/]/g, half = 1 / 2 / 3;", "<p>Don't</p>", "`a ${b ? `c` : '`'} d`", "// `", "return /`/", "x = {a: `${{}}`}",
		"gql`{ a }`", "'\\'`'", "`\\``", "é = \"💸\\", "/* ` */", "gql<A>(", "`${`", "`${'}'}", "$$`", "/", "a\r\n",
	} {
		f.Add(code, "{ é💸 }")
	}
	f.Fuzz(func(t *testing.T, code, text string) {
		before := scan(code)
		checkPlaces(t, before)
		if before.unended >= 0 || strings.Contains(code, "/*") {
			return // a literal or a comment without an end hides what follows
		}
		text = strings.NewReplacer("`", "", "\\", "", "$", "").Replace(strings.ToValidUTF8(text, ""))
		s := scan(code + ";\ngql`" + text + "`")
		checkPlaces(t, s)
		if s.unended >= 0 || len(s.templates) != len(before.templates)+1 {
			t.Fatalf("%d templates, the end is %d; before: %d", len(s.templates), s.unended, len(before.templates))
		}
		last := s.templates[len(s.templates)-1]
		if got := string(s.graphql[last.start:last.end]); got != text {
			t.Errorf("the template is %q, want %q", got, text)
		}
	})
}

func checkPlaces(t *testing.T, s *script) {
	t.Helper()
	kept := make([]bool, len(s.in))
	for _, found := range s.templates {
		for i := found.start; i < found.end; i++ {
			kept[i] = true
		}
	}
	for i, c := range s.graphql {
		switch {
		case c == s.in[i] && (c == '\n' || c == '\r'), c == ' ':
		case c != s.in[i], s.unended < 0 && !kept[i]:
			t.Fatalf("character %d is %q instead of %q", i, c, s.in[i])
		}
	}
}
