// Package graph has the schema and its resolvers: schema files such as deposit.graphqls, their resolvers in
// deposit.resolvers.go, the loaders of records by id, and the links between records. It uses the REST APIs only through
// packages upstream, client and live, and the caller's identity only through package auth. Package pipeline handles a
// request up to the resolvers.
//
// Read a schema file and its resolvers first, then Call and Execution, which carry their state.
package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
)

// Schema is the executable schema.
type Schema struct {
	graphql.ExecutableSchema
	Calls calls.Fields // the declared fields that lead to calls
}

// NewSchema binds the resolvers to the generated executor. It fails if a declaration of calls is invalid. metadata
// points to notification ids in a transaction's metadata; it may be nil. Without live, the schema has no subscriptions,
// and no fields that wait.
func NewSchema(metadata upstream.Pointer, live bool) (*Schema, error) {
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
	if !live {
		removeLive(&schema)
	}
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

// removeLive removes the type Subscription and the fields that wait.
func removeLive(schema *ast.Schema) {
	query := *schema.Query
	query.Fields = slices.DeleteFunc(slices.Clone(query.Fields), func(field *ast.FieldDefinition) bool {
		return strings.HasPrefix(field.Name, awaitPrefix)
	})
	schema.Types = maps.Clone(schema.Types)
	schema.Types[query.Name] = &query
	delete(schema.Types, schema.Subscription.Name)
	schema.Query, schema.Subscription = &query, nil
}

// Text returns the schema in the schema definition language.
func (s *Schema) Text() string {
	var text strings.Builder
	formatter.NewFormatter(&text, formatter.WithIndent("  ")).FormatSchema(s.Schema())
	return text.String()
}
