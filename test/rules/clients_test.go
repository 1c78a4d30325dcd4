package rules

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxShown is how many lines of a file a page shows: a longer recipe is explained, and read in its file.
const maxShown = 12

// TestClientRecipes: these pages link to every recipe. The lines that a page shows of a file are in that file, which it
// links to.
func TestClientRecipes(t *testing.T) {
	var (
		link  = regexp.MustCompile(`\]\(\.\./((?:test/e2e|clients/js)/[^)#]+)\)`)
		block = regexp.MustCompile("(?ms)^```\\w+ (\\S+)\n(.*?)^```$")
	)
	linked := map[string]bool{}
	for _, page := range []string{"docs/clients.md", "docs/downloads.md", "docs/live.md"} {
		text := read(t, page)
		onPage := map[string]bool{}
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			onPage[match[1]], linked[match[1]] = true, true
		}
		for _, match := range block.FindAllStringSubmatch(text, -1) {
			path, lines := match[1], match[2]
			switch {
			case !onPage[path]:
				t.Errorf("%s shows %s without a link to it", page, path)
			case !strings.Contains("\n"+read(t, path), "\n"+lines):
				t.Errorf("%s does not have these lines of %s:\n%s", path, page, lines)
			case strings.Count(lines, "\n") > maxShown:
				t.Errorf("%s shows more than %d lines of %s:\n%s", page, maxShown, path, lines)
			}
		}
	}
	recipes, err := filepath.Glob("test/e2e/recipes/*")
	if err != nil || len(recipes) == 0 {
		t.Fatalf("%v: no recipes", err)
	}
	for _, path := range append(recipes, "test/e2e/codegen.ts") {
		if !linked[path] {
			t.Errorf("no page links to %s", path)
		}
	}
}
