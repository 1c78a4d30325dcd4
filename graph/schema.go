// Package graph has the schema and its resolvers: schema files such as deposit.graphqls, the resolvers of root
// fields in schema.resolvers.go, the loaders of records by id, and the links between records. Fields of records need
// no resolvers: package projection copies them. It uses the REST APIs only through packages upstream, client and
// live, and the caller's identity only through package auth. Package serve handles a request up to the resolvers.
//
// Read schema.graphqls and its resolvers first, then Execution, which carries their state.
package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

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
	Calls   calls.Fields // the declared fields that lead to calls
	Lookups *Lookups
}

// Features are parts of the schema that can be turned off.
type Features struct {
	Live bool // subscriptions, and fields that wait
	// Federation is what routers of a federated schema use: _entities, _service, and the directives for composers.
	Federation bool
}

// federationFile has all of Features.Federation.
const federationFile = "federation.graphqls"

// NewSchema binds the resolvers to the generated executor. It fails if a declaration of calls is invalid. metadata
// points to notification ids in a transaction's metadata; it may be nil.
func NewSchema(metadata upstream.Pointer, features Features) (*Schema, error) {
	resolvers := &resolver{}
	if metadata != nil {
		resolvers.sources = append(resolvers.sources, metadataSource(metadata))
	}
	resolvers.sources = append(resolvers.sources, learnedSource)
	wired := generated.Config{
		Resolvers:  resolvers,
		Directives: generated.DirectiveRoot{OauthScopes: oauthScopes},
	}
	without := federationFile
	if features.Federation {
		without = ""
	}
	schema := *generated.Schema(without)
	if !features.Live {
		removeLive(&schema)
	}
	if err := declareDefer(&schema); err != nil {
		return nil, err
	}
	wired.Schema = &schema
	declared, err := calls.Read(&schema)
	if err != nil {
		return nil, err
	}
	lookups := NewLookups()
	for definition, field := range declared {
		if field.ID != nil && lookups.link(field) == nil {
			return nil, fmt.Errorf("schema: %s leads to a %s, which has no lookup", definition.Name, field.Type)
		}
	}
	bound := &Schema{generated.NewExecutableSchema(wired), declared, lookups}
	if features.Federation {
		resolvers.sdl = bound.Text()
	}
	return bound, nil
}

// Resolve calls the resolver of a root field. It is the Resolve of projection.Config.
func (s *Schema) Resolve(ctx context.Context, field graphql.CollectedField) projection.Found {
	return generated.ResolveRoot(ctx, s.ExecutableSchema, field)
}

// Made returns the types whose objects the gateway makes.
func (s *Schema) Made() map[string]bool { return generated.Made }

// Link returns the function that follows a declared field of a record: by an id in the record, or by the resolver of
// the field. It is a Links of projection.Config.
func (s *Schema) Link(field graphql.CollectedField) projection.Follow {
	if declared := s.Calls[field.Definition]; declared.ID != nil {
		return s.Lookups.link(declared)
	}
	return func(ctx context.Context, from upstream.Raw, at func() ast.Path) projection.Wait {
		path := at()
		ctx = withPath(ctx, path[:len(path)-1])
		return sync.OnceValues(func() (projection.Found, error) {
			return generated.ResolveLink(ctx, s.ExecutableSchema, field, from)
		})
	}
}

// withPath returns a context for a field of the object at a path.
func withPath(ctx context.Context, path ast.Path) context.Context {
	for _, element := range path {
		at := &graphql.FieldContext{}
		switch element := element.(type) {
		case ast.PathName:
			at.Field.Field = &ast.Field{Alias: string(element)}
		case ast.PathIndex:
			index := int(element)
			at.Index = &index
		}
		ctx = graphql.WithFieldContext(ctx, at)
	}
	return ctx
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

// Scopes returns the scopes that fields require, in the order of their names.
func (s *Schema) Scopes() []string {
	var scopes []string
	for _, definition := range s.Schema().Types {
		for _, field := range definition.Fields {
			if directive := field.Directives.ForName(scopesDirective); directive != nil {
				for _, set := range directive.Arguments.ForName("scopes").Value.Children {
					for _, scope := range set.Value.Children {
						scopes = append(scopes, scope.Value.Raw)
					}
				}
			}
		}
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// Text returns the schema in the schema definition language.
func (s *Schema) Text() string {
	var text strings.Builder
	formatter.NewFormatter(&text, formatter.WithIndent("  ")).FormatSchema(s.Schema())
	return text.String()
}
