// Package projection is the fast path. It executes root fields whose selections lead to other records only by links to one
// record: it calls the resolver, and copies the selected values from the bytes that the API sent to the response. gqlgen's
// executor, which calls an accessor for each field, executes the other root fields.
//
// gqlgen defines what a query means, and is the reference: data and errors of both must be equal, byte for byte
// (graph/pipeline/differential_test.go). gqlgen still parses and validates every document, and coerces the arguments of every
// field. Which fields the fast path executes is decided in one place, compile.go.
//
// Read first: Projector.Execute.
package projection

import (
	"context"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/calls"
	"pixgraph/graph/documents"
	"pixgraph/upstream"
)

// Config is what a projector needs. Only MaxErrors is optional.
type Config struct {
	Schema    *ast.Schema
	Calls     calls.Fields     // the declarations of the schema
	Documents *documents.Cache // of the executor; plans are kept with their documents
	Links     Links
	Resolve   Resolve
	Executor  graphql.ExecutableSchema // gqlgen's, for the root fields without a plan
	Unknown   Unknown
	MaxErrors int // the maximum number of errors of a root field; 0 for all
}

// Projector executes operations.
type Projector struct {
	config         Config
	answered, left atomic.Uint64
}

// Unknown counts the texts that are not values of an enum, by the name of the enum. The map itself never changes.
type Unknown map[string]*atomic.Uint64

// Links returns how a declared field leads from a record to another one; nil if it does not lead to one record.
type Links func(*calls.Field) Follow

// Follow begins to fetch the record that a link leads to, and returns a function that waits for it. That function returns nil
// without an error if the link leads to no record. All links of a record begin before the first one is waited for. at is the
// path of the link in the response; it is valid until then.
type Follow func(ctx context.Context, from upstream.Raw, at func() ast.Path) (wait func() (*upstream.Raw, error))

// Resolve calls the resolver of a root field, and returns what it found; nil for null. It adds errors to those of the response.
type Resolve func(context.Context, graphql.CollectedField) Found

// plan is a compiled root field.
type plan struct {
	typeName string       // of the field
	record   *object      // of a record, or of each record of a list
	parts    []part       // of a page of records
	shallow  bool         // whether nothing within the objects of a record is selected
	size     atomic.Int64 // bytes of the last response, of any caller: the capacity that the next one begins with
}

// New returns a projector.
func New(config Config) *Projector { return &Projector{config: config} }

// Answered returns the number of root fields that were executed here.
func (p *Projector) Answered() uint64 { return p.answered.Load() }

// Left returns the number of root fields that were left to gqlgen, introspection not counted.
func (p *Projector) Left() uint64 { return p.left.Load() }
