package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"sync"
	"testing"
)

// atRoot makes the root of the repository the working directory. A test does it, and not TestMain: before the tests
// begin, the go command does not notice it. Then it looks for the files that they read in another directory, and
// repeats results from its cache although a file has changed.
var atRoot = sync.OnceFunc(func() {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
})

// positions are those of what parse has parsed.
var positions = token.NewFileSet()

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	atRoot()
	file, err := parser.ParseFile(positions, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t *testing.T, name string) string {
	t.Helper()
	atRoot()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
