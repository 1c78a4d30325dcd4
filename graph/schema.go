// Package graph has the schema and its resolvers: schema files such as deposit.graphqls, their resolvers in
// deposit.resolvers.go, the loaders of records by id, and the links between records. It uses the REST APIs only through
// packages upstream and client, and the caller's identity only through package auth. Package pipeline handles a
// request up to the resolvers.
//
// Read a schema file and its resolvers first, then Request, which carries their state.
package graph

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/calls"
	"pixgraph/graph/generated"
	"pixgraph/graph/projection"
	"pixgraph/upstream"
)

// Schema is the executable schema.
type Schema struct {
	graphql.ExecutableSchema
	Calls calls.Fields // the declared fields that lead to calls
}

// NewSchema binds the resolvers to the generated executor. It fails if a declaration of calls is invalid. metadata
// points to notification ids in a transaction's metadata; it may be nil.
func NewSchema(metadata upstream.Pointer) (*Schema, error) {
	resolvers := &resolver{}
	if metadata != nil {
		resolvers.sources = append(resolvers.sources, metadataSource{metadata})
	}
	resolvers.sources = append(resolvers.sources, learnedSource{})
	wired := generated.Config{
		Resolvers:  resolvers,
		Directives: generated.DirectiveRoot{RequiresScopes: requiresScopes},
	}
	schema := *generated.NewExecutableSchema(wired).Schema()
	schema.Directives = maps.Clone(schema.Directives)
	delete(schema.Directives, "defer") // gqlparser adds it to every schema; no transport supports it
	wired.Schema = &schema
	var err error
	if resolvers.calls, err = calls.Read(&schema); err != nil {
		return nil, err
	}
	for definition, field := range resolvers.calls {
		if field.ID != nil && NewLookups().Link(field) == nil {
			return nil, fmt.Errorf("schema: %s leads to a %s, which has no lookup", definition.Name, field.Type)
		}
	}
	return &Schema{generated.NewExecutableSchema(wired), resolvers.calls}, nil
}

// Resolve calls the resolver of a root field. It is the Resolve of projection.Config.
func (s *Schema) Resolve(ctx context.Context, field graphql.CollectedField) projection.Found {
	return generated.ResolveRoot(ctx, s.ExecutableSchema, field)
}

//go:embed *.graphqls
var schemaFiles embed.FS

// SchemaText returns all schema files as one text.
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
