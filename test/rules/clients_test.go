package rules

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestClientRecipes: the blocks of these documents that name a file are lines of that file, and every recipe is shown.
func TestClientRecipes(t *testing.T) {
	shown := map[string]bool{}
	for _, document := range []string{"docs/clients.md", "docs/downloads.md", "docs/live.md"} {
		for _, block := range regexp.MustCompile("(?ms)^```\\w+ (\\S+)\n(.*?)^```$").FindAllStringSubmatch(read(t, document), -1) {
			shown[block[1]] = true
			if !strings.Contains("\n"+read(t, block[1]), "\n"+block[2]) {
				t.Errorf("%s does not have these lines of %s:\n%s", block[1], document, block[2])
			}
		}
	}
	recipes, err := filepath.Glob("test/e2e/recipes/*")
	if err != nil || len(recipes) == 0 {
		t.Fatalf("%v: no recipes", err)
	}
	for _, path := range append(recipes, "test/e2e/codegen.ts") {
		if !shown[path] {
			t.Errorf("no document shows %s", path)
		}
	}
}
