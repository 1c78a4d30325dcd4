package rules

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPackageComments(t *testing.T) {
	for _, p := range packages(t) {
		if p.Name != "generated" && !strings.HasPrefix(p.Doc, "Package "+p.Name) && p.Name != "main" || p.Name == "main" && p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// maxLines is the maximum length of a Go file that is not a test.
const maxLines = 350

func TestFileLengths(t *testing.T) {
	for _, p := range packages(t) {
		if p.Name == "generated" {
			continue
		}
		for _, name := range p.GoFiles {
			if strings.HasSuffix(name, ".generated.go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(text, []byte("\n")); lines > maxLines {
				t.Errorf("%s/%s has %d lines", p.ImportPath, name, lines)
			}
		}
	}
}

// The maximum lengths of lines, in characters: of a test, and of a comment in Go, where a tab is four.
const (
	maxLine    = 160
	maxComment = 120
)

// TestLineLengths covers the tests in Go and JavaScript, the tools of e2e, and the comments in Go.
func TestLineLengths(t *testing.T) {
	tests := 0
	for _, path := range filesOf(t, ".go", ".js", ".ts") {
		isTest := strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "test/e2e/") || strings.HasPrefix(path, "clients/js/test/") ||
			strings.HasPrefix(path, "web/pages/test/")
		generated := strings.HasPrefix(path, "test/e2e/out/") || strings.HasPrefix(path, "test/e2e/operations/gql/") || strings.HasSuffix(path, ".d.ts")
		if generated || strings.Contains(path, "generated") || !isTest && !strings.HasSuffix(path, ".go") {
			continue
		}
		if isTest {
			tests++
		}
		number := 0
		for line := range strings.Lines(read(t, path)) {
			number++
			length, comment := utf8.RuneCountInString(strings.TrimRight(line, "\n")), strings.TrimLeft(line, "\t")
			width := length + 3*(len(line)-len(comment))
			if isTest && length > maxLine || strings.HasPrefix(comment, "// ") && strings.HasSuffix(path, ".go") && width > maxComment {
				t.Errorf("%s:%d has %d characters", path, number, length)
			}
		}
	}
	if tests < 200 {
		t.Errorf("only %d files found", tests)
	}
}

// TestDependenciesAreExplained: docs/decisions.md has the reason for each direct dependency.
func TestDependenciesAreExplained(t *testing.T) {
	mod := read(t, "go.mod")
	decisions := read(t, "docs/decisions.md")
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(mod, -1)
	if len(direct) < 5 {
		t.Fatalf("only %d direct dependencies found in go.mod", len(direct))
	}
	for _, match := range direct {
		if !strings.Contains(decisions, "`"+match[1]+"`") {
			t.Errorf("docs/decisions.md has no reason for %s", match[1])
		}
	}
}

// forTests are the modules that only tests need.
var forTests = []string{
	"github.com/getkin/kin-openapi", "github.com/makiuchi-d/gozxing", "github.com/prometheus/prometheus",
	"github.com/rogpeppe/go-internal", "github.com/santhosh-tekuri/jsonschema", "go.uber.org/goleak", "pixgraph/upstream/contract",
}

// TestBinaryHasNoTestDependencies: only packages for tests and generators import the modules that only they need.
func TestBinaryHasNoTestDependencies(t *testing.T) {
	for _, p := range packages(t) {
		name := relative(p.ImportPath)
		if slices.Contains(supportsTests, name) || name == "upstream/contract/generate" {
			continue
		}
		for _, module := range forTests {
			if p.ImportPath == module {
				continue
			}
			for _, imported := range p.Imports {
				if strings.HasPrefix(imported+"/", module+"/") {
					t.Errorf("%s imports %s", p.ImportPath, imported)
				}
			}
		}
	}
}
