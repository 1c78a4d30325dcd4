// Package projection executes operations: it calls the resolvers of the root fields, follows the links of the records
// that these return, and copies the selected values from the bytes that the APIs sent to the response. gqlgen parses
// and validates every document, coerces the arguments of every field, and executes introspection.
//
// Read first: Projector.Execute; compile.go, which decides how a field is written; object.go, which copies the fields
// of a record; link.go, which follows links.
package projection

import (
	"context"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/documents"
	"pixgraph/upstream"
)

// Config configures a projector. Only MaxErrors is optional.
type Config struct {
	Schema    *ast.Schema
	Calls     calls.Fields     // the declarations of the schema
	Made      map[string]bool  // the types whose objects the gateway makes: they implement Object
	Documents *documents.Cache // of the executor; plans are kept with their documents
	Links     Links
	Resolve   Resolve
	Executor  graphql.ExecutableSchema // gqlgen's, for introspection
	Unknown   Unknown
	MaxErrors int // the maximum number of errors of a root field; 0 means no limit
}

// Projector executes operations.
type Projector struct {
	config Config
	enums  map[string]*enum // of the schema
}

// Unknown counts the values of the APIs that an enum lacks, by the name of the enum. The map itself never changes.
type Unknown map[string]*atomic.Uint64

// Links returns the function that follows a declared field of a record.
type Links func(graphql.CollectedField) Follow

// Follow follows a link of a record. at returns the path of the link in the response; it is valid until Follow returns.
type Follow func(ctx context.Context, from upstream.Raw, at func() ast.Path) Wait

// Wait waits for what a link leads to. It returns nil without an error if there is nothing.
type Wait func() (Found, error)

// Resolve calls the resolver of a root field and returns its result; nil for null. It adds errors to those of the
// response.
type Resolve func(context.Context, graphql.CollectedField) Found

// New returns a projector.
func New(config Config) *Projector { return &Projector{config, enumsOf(config.Schema, config.Unknown)} }
