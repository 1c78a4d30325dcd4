// Package paging is how a list of the core API becomes a GraphQL connection: its two ways of paging, its cursors, and
// the places of its records. It is not where a page is fetched (upstream) nor where a filter is checked (upstream too).
//
// Read first: Fetch in request.go.
package paging

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/upstream"
)

// Record is what a list can hold.
type Record interface{ upstream.Resource }

// Connection is the answer of a list field. Its records stay bytes until they are asked for.
type Connection[T Record] struct {
	page    *upstream.Page[T] // the API's page that the answer begins in
	records []placed[T]       // the answer's records
	filter  digest            // what the list was filtered by
	before  bool              // whether there is something before
	more    bool              // whether there is more behind
}

// placed is a record and the place where the API had it.
type placed[T Record] struct {
	upstream.Record[T]
	place place
}

// begin takes the records of the first page, but for the first few.
func (c *Connection[T]) begin(page *upstream.Page[T], skip int, sized sizing) {
	c.page, c.before = page, page.CurrentPage > 1 || skip > 0
	c.add(page, skip, sized)
}

// add takes the records of one page, but for the first few.
func (c *Connection[T]) add(page *upstream.Page[T], skip int, sized sizing) {
	c.records = slices.Grow(c.records, len(page.Records))
	for i := min(skip, len(page.Records)); i < len(page.Records); i++ {
		c.records = append(c.records, placed[T]{page.Records[i], place{int(page.CurrentPage), i, int(page.PerPage), sized}})
	}
	c.more = moreBehind(page, sized)
}

// moreBehind believes either count: an API whose counts contradict each other must not make records disappear. Where the
// sizes of pages vary, the records before a page cannot be counted: an empty page at the end of the pages is the end.
func moreBehind[T Record](page *upstream.Page[T], sized sizing) bool {
	if page.CurrentPage < page.TotalPages {
		return true
	}
	if page.PerPage == 0 || sized.kind == sizeVaries && page.TotalPages > 0 && len(page.Records) == 0 {
		return false
	}
	pages := page.Total / page.PerPage
	return page.CurrentPage < pages || page.CurrentPage == pages && page.Total%page.PerPage > 0
}

// DepositConnection and the like are the names that the schema has for them.
type (
	DepositConnection    = Connection[upstream.Deposit]
	WithdrawalConnection = Connection[upstream.Withdrawal]
	DepositEdge          = Edge[upstream.Deposit]
	WithdrawalEdge       = Edge[upstream.Withdrawal]
)

// Len is how many records there are, Raw one of them, and Cursor its place: for package projection, as the fields of the
// schema are below for gqlgen.
func (c *Connection[T]) Len() int { return len(c.records) }

// Raw returns a record's index; it fails for a record that is no object.
func (c *Connection[T]) Raw(i int) (upstream.Raw, error) { return c.records[i].Raw() }

// Cursor returns a record's place, opaque to clients.
func (c *Connection[T]) Cursor(i int) (string, error) {
	return cursor{c.records[i].place, c.filter}.encode()
}

// Nodes decodes the records. One that is broken leaves a null and an error at its place.
func (c *Connection[T]) Nodes(ctx context.Context) ([]*T, error) {
	nodes := make([]*T, len(c.records))
	for i, record := range c.records {
		node, err := record.Decode()
		if err != nil {
			AddElementError(ctx, i, err)
			continue
		}
		nodes[i] = node
	}
	return nodes, nil
}

// AddElementError reports what is wrong with one element of the list field that ctx belongs to.
func AddElementError(ctx context.Context, index int, err error) {
	path := append(graphql.GetPath(ctx), ast.PathIndex(index))
	graphql.AddError(ctx, gqlerror.WrapPath(path, err))
}

// Edges gives the records with their cursors.
func (c *Connection[T]) Edges() []*Edge[T] {
	edges := make([]*Edge[T], len(c.records))
	for i, record := range c.records {
		edges[i] = &Edge[T]{record.Record, cursor{record.place, c.filter}}
	}
	return edges
}

// PageInfo says where the answer stands in the list.
func (c *Connection[T]) PageInfo() *PageInfo {
	info := &PageInfo{HasNextPage: c.more, HasPreviousPage: c.before}
	if n := len(c.records); n > 0 {
		info.first, info.last = &cursor{c.records[0].place, c.filter}, &cursor{c.records[n-1].place, c.filter}
	}
	return info
}

// TotalCount is how many records the filter matches.
func (c *Connection[T]) TotalCount() (int32, error) { return int32Of("total", c.page.Total) }

// TotalPages is how many pages they fill.
func (c *Connection[T]) TotalPages() (int32, error) { return int32Of("totalPages", c.page.TotalPages) }

// CurrentPage is the number of the API's page that the answer begins in.
func (c *Connection[T]) CurrentPage() (int32, error) {
	return int32Of("currentPage", c.page.CurrentPage)
}

// PerPage is how many records a page holds.
func (c *Connection[T]) PerPage() (int32, error) { return int32Of("perPage", c.page.PerPage) }

var errTooBig = errors.New("is more than a GraphQL Int can hold")

func int32Of(name string, n int64) (int32, error) {
	if n > math.MaxInt32 {
		return 0, &upstream.Error{
			Op: "read " + name, Service: upstream.Core, Kind: upstream.KindInvalidResponse, Err: errTooBig,
		}
	}
	return int32(n), nil
}

// Edge is a record and its place.
type Edge[T Record] struct {
	record upstream.Record[T]
	place  cursor
}

// Cursor is the record's place, opaque to clients.
func (e *Edge[T]) Cursor() (string, error) { return e.place.encode() }

// Node decodes the record.
func (e *Edge[T]) Node() (*T, error) { return e.record.Decode() }

// PageInfo says where an answer stands in its list.
type PageInfo struct {
	HasNextPage     bool
	HasPreviousPage bool
	first, last     *cursor // nil on an empty page
}

// StartCursor is the place of the first record.
func (p *PageInfo) StartCursor() (*string, error) { return p.first.encodeOptional() }

// EndCursor is the place of the last record.
func (p *PageInfo) EndCursor() (*string, error) { return p.last.encodeOptional() }
