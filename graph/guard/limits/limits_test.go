package limits_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/guard/limits"
)

// executable is the gateway's schema without resolvers.
type executable struct {
	graphql.ExecutableSchema
	schema *ast.Schema
}

func (e executable) Schema() *ast.Schema { return e.schema }

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

// newLimits creates the extension for the gateway's schema.
func newLimits(t testing.TB, config limits.Config) *limits.Limits {
	t.Helper()
	l, err := limits.New(config)
	must(t, err)
	must(t, l.Validate(executable{schema: loadSchema(t)}))
	return l
}

// check compares a document with the limits, as gqlgen does.
func check(l *limits.Limits, document string) error {
	if err := l.MutateOperationParameters(context.Background(), &graphql.RawParams{Query: document}); err != nil {
		return err
	}
	return nil
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
