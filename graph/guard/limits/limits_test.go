package limits_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/guard/limits"
)

// schemas are those of loadSchema by the additions, since one takes as long as thousands of requests.
var schemas sync.Map

// loadSchema reads the gateway's schema files and the additions of a test, which must not change the schema.
func loadSchema(t testing.TB, more ...string) *ast.Schema {
	t.Helper()
	if schema, ok := schemas.Load(strings.Join(more, "\n")); ok {
		return schema.(*ast.Schema)
	}
	names, err := filepath.Glob("../../*.graphqls")
	must(t, err)
	var sources []*ast.Source
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		sources = append(sources, &ast.Source{Name: name, Input: string(text)})
	}
	for _, text := range more {
		sources = append(sources, &ast.Source{Input: text})
	}
	schema, err := gqlparser.LoadSchema(sources...)
	must(t, err)
	schemas.Store(strings.Join(more, "\n"), schema)
	return schema
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newLimits creates the limits for the gateway's schema.
func newLimits(t testing.TB, config limits.Config) *limits.Limits {
	t.Helper()
	l, err := limits.New(config, loadSchema(t))
	must(t, err)
	return l
}

// check compares a document with the limits.
func check(l *limits.Limits, document string) error {
	_, err := l.Measure(document)
	return err
}

// exceeded is the limit that an error names, "" for no error.
func exceeded(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *apierror.Error
	if !errors.As(err, &e) {
		t.Fatalf("not an error of a limit: %v", err)
	}
	return e.Limit
}
