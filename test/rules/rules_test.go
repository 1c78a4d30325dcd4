package rules

import (
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

func read(t *testing.T, name string) string {
	t.Helper()
	atRoot()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
