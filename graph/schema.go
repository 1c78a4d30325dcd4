// Package graph is the schema and what resolves it: the schema files, such as deposit.graphqls, their resolvers, in
// deposit.resolvers.go, the loaders of records by id, and the links between records. It knows the REST APIs only through
// package upstream, and the caller only through package auth. How a request gets here is package pipeline.
//
// Read first: a schema file and its resolvers, then Request, which carries what they use.
package graph

import (
	"embed"
	"io/fs"
	"maps"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/generated"
	"pixgraph/upstream"
)

// NewSchema puts the resolvers behind the generated executor. metadata is the place of notification ids in a transaction's
// metadata; nil when there is none.
func NewSchema(metadata upstream.Pointer) graphql.ExecutableSchema {
	resolvers := &resolver{}
	if metadata != nil {
		resolvers.sources = append(resolvers.sources, metadataSource{metadata})
	}
	wired := generated.Config{
		Resolvers:  resolvers,
		Directives: generated.DirectiveRoot{RequiresScopes: requiresScopes},
	}
	schema := *generated.NewExecutableSchema(wired).Schema()
	schema.Directives = maps.Clone(schema.Directives)
	delete(schema.Directives, "defer") // gqlparser adds it to every schema; no transport delivers what is deferred
	wired.Schema = &schema
	return generated.NewExecutableSchema(wired)
}

//go:embed *.graphqls
var schemaFiles embed.FS

// SchemaText joins the schema files into one text.
func SchemaText() (string, error) {
	names, err := fs.Glob(schemaFiles, "*.graphqls")
	if err != nil {
		return "", err
	}
	texts := make([]string, len(names))
	for i, name := range names {
		text, err := schemaFiles.ReadFile(name)
		if err != nil {
			return "", err
		}
		texts[i] = string(text)
	}
	return strings.Join(texts, "\n"), nil
}
