// Package projection is the fast path. It executes root fields whose selections lead to other records only by links to
// one record, and have no deferred fragments: it calls the resolver, and copies the selected values from the bytes that
// the API sent to the response. gqlgen's executor, which calls an accessor for each field, executes the other root
// fields.
//
// gqlgen's executor defines the meaning of a query: data and errors of both executors must be equal, byte for byte
// (graph/pipeline/differential_test.go). gqlgen still parses and validates every document, and coerces the arguments of
// every field.
//
// Read first: Projector.Execute; compile.go, which decides which fields the fast path executes; object.go, which copies
// the fields of a record.
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
	Documents *documents.Cache // of the executor; plans are kept with their documents
	Links     Links
	Resolve   Resolve
	Executor  graphql.ExecutableSchema // gqlgen's, for the root fields without a plan
	Unknown   Unknown
	MaxErrors int // the maximum number of errors of a root field; 0 means no limit
}

// Projector executes operations.
type Projector struct {
	config              Config
	executed, delegated atomic.Uint64 // root fields that the fast path executed; root fields that gqlgen executed
}

// Unknown counts the values of the APIs that an enum lacks, by the name of the enum. The map itself never changes.
type Unknown map[string]*atomic.Uint64

// Links returns the function that follows a declared field from a record to another one; nil if the field is not a link
// to one record.
type Links func(*calls.Field) Follow

// Follow starts to fetch the record that a link leads to. All links of a record, and of the records of a list, are
// started before the first wait. at returns the path of the link in the response; it is valid until Follow returns.
type Follow func(ctx context.Context, from upstream.Raw, at func() ast.Path) Wait

// Wait waits for a record. It returns nil without an error if the link has no record.
type Wait func() (*upstream.Raw, error)

// Resolve calls the resolver of a root field and returns its result; nil for null. It adds errors to those of the
// response.
type Resolve func(context.Context, graphql.CollectedField) Found

// plan is a compiled root field.
type plan struct {
	typeName string             // the type of the field
	required bool               // whether the data is null if the field is
	record   *object            // for a record, or for each record of a list
	entities map[string]*object // for records of several types, by their names, equal in Go and in the schema
	parts    []part             // for a page of records
	shallow  bool               // whether nothing within the objects of a record is selected
	size     atomic.Int64       // bytes of the last response, of any caller: the initial capacity for the next one
}

// New returns a projector.
func New(config Config) *Projector { return &Projector{config: config} }

// Executed returns the number of root fields that the fast path executed.
func (p *Projector) Executed() uint64 { return p.executed.Load() }

// Delegated returns the number of root fields that gqlgen executed, except introspection.
func (p *Projector) Delegated() uint64 { return p.delegated.Load() }
