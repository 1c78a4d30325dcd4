package rules

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// contractDocument is the contract of the REST APIs, whose sections comments cite as "spec N.M".
const contractDocument = "docs/upstream-api.md"

const number = `\d+(?:\.\d+)*`

var (
	// citation is "spec 4.1", and a list of sections such as "spec 4.1, 4.2 and 5" or "spec 4.1 to 4.3".
	citation = regexp.MustCompile(`(?i)\bspec (` + number + `(?:(?:,? and |,? or | to |, )` + number + `)*)\b`)
	// anySection is a citation by that word, of whatever document.
	anySection = regexp.MustCompile(`(?i)\b(?:sections?|§) ?` + number)
	// otherSection is a citation of a document that is named before the word.
	otherSection = regexp.MustCompile(`(?:RFC \d+|GraphQL specification|OpenID Connect [A-Z][a-z]+ 1\.0),? sections? ` + number)
	heading      = regexp.MustCompile(`(?m)^##+ (` + number + `)\.? `)
)

// sectionsOfContract are the numbers of the contract's headings.
func sectionsOfContract(t *testing.T) []string {
	t.Helper()
	var sections []string
	for _, match := range heading.FindAllStringSubmatch(read(t, contractDocument), -1) {
		if slices.Contains(sections, match[1]) {
			t.Errorf("%s has section %s twice", contractDocument, match[1])
		}
		sections = append(sections, match[1])
	}
	return sections
}

// citations returns the sections of the contract that a text cites, and what in it cites a section in another form.
func citations(text string) (cited, malformed []string) {
	text = strings.Join(strings.Fields(text), " ")
	for _, match := range citation.FindAllStringSubmatch(text, -1) {
		cited = append(cited, regexp.MustCompile(number).FindAllString(match[1], -1)...)
	}
	rest := otherSection.ReplaceAllString(text, "")
	return cited, anySection.FindAllString(rest, -1)
}

func TestCitationsAreRead(t *testing.T) {
	tests := []struct {
		name, text       string
		cited, malformed string
	}{
		{"one", "a deposit (spec 2.1)", "2.1", ""},
		{"a whole chapter", "Spec 5 has it.", "5", ""},
		{"a list", "(spec 4.1, 4.2)", "4.1 4.2", ""},
		{"and", "spec 4.1 and 4.2, which", "4.1 4.2", ""},
		{"a longer list", "spec 4.1, 4.2, and 5", "4.1 4.2 5", ""},
		{"a range", "spec 2.1 to 2.5, as", "2.1 2.5", ""},
		{"over two lines", "the table of spec\n4.9.", "4.9", ""},
		{"with the word", "spec section 2.5", "", "section 2.5"},
		{"the word alone", "the one scope (section 5)", "", "section 5"},
		{"a list with the word", "spec sections\n3.1 to 3.4", "", "sections 3.1"},
		{"another document", "RFC 9110, section 12.5.3, and RFC 6749 section 4.1.1", "", ""},
		{"other documents", "OpenID Connect Discovery 1.0, section 4; GraphQL specification, section 3.5", "", ""},
		{"both", "RFC 9110 section 3; spec 7", "7", ""},
		{"no citation", "what the spec lists in 2 places, each section of a screen", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cited, malformed := citations(tt.text)
			if strings.Join(cited, " ") != tt.cited || strings.Join(malformed, " ") != tt.malformed {
				t.Errorf("cites %q and %q, want %q and %q", cited, malformed, tt.cited, tt.malformed)
			}
		})
	}
}

// TestCitationsAreRight: what a comment cites of the contract is a section of it. A comment that cites the section of
// another document names that document before the word: "RFC 9110, section 12.5.3".
func TestCitationsAreRight(t *testing.T) {
	sections := sectionsOfContract(t)
	if len(sections) < 20 {
		t.Fatalf("only %d sections found in %s", len(sections), contractDocument)
	}
	found := 0
	check := func(where, text string) {
		cited, malformed := citations(text)
		found += len(cited)
		for _, section := range cited {
			if !slices.Contains(sections, section) {
				t.Errorf("%s cites spec %s, which %s does not have", where, section, contractDocument)
			}
		}
		for _, form := range malformed {
			t.Errorf("%s: %q does not name its document: write \"spec N.M\" for the contract", where, form)
		}
	}
	for _, path := range filesOf(t, ".go") {
		for _, comment := range parse(t, path).Comments {
			check(positions.Position(comment.Pos()).String(), comment.Text())
		}
	}
	if found < 100 {
		t.Errorf("only %d citations found", found)
	}
	for _, path := range append(filesOf(t, ".md"), "docs/upstream-api.yaml") {
		check(path, read(t, path))
	}
}

// isWritten reports whether npm, or tests that may run at the same time, write a folder, or it is git's.
func isWritten(folder string) bool {
	name := filepath.Base(folder)
	return slices.Contains([]string{"node_modules", "out", "bin"}, name) || filepath.ToSlash(folder) == "clients/js/dist" ||
		folder != "." && strings.HasPrefix(name, ".")
}

// filesOf are the files of the repository with the extensions.
func filesOf(t *testing.T, extensions ...string) []string {
	t.Helper()
	atRoot()
	var paths []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isWritten(path):
			return fs.SkipDir
		case slices.Contains(extensions, filepath.Ext(path)):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
