// Package paging turns a list of the core API into a GraphQL connection, with both forms of paging, cursors, and the
// positions of records. It does not send requests and does not check filters; packages client and upstream do.
//
// Read Fetch in request.go first.
package paging

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/execute/projection"
	"pixgraph/upstream"
)

// Record is a record type that lists contain.
type Record interface{ upstream.Resource }

// Connection is the result of a list field. Its records stay encoded until they are selected.
type Connection[T Record] struct {
	page    *upstream.Page[T] // the page that the connection begins in
	records []placed[T]       // the records of the connection
	filter  digest            // identifies the list and its filter
	skipped int64             // the number of records before these, if all pages have the same size
	before  bool              // whether the list has records before these
	more    bool              // whether the list has records after these
}

// placed is a record and its place in the API's list.
type placed[T Record] struct {
	upstream.Record[T]
	place place
}

// begin adds the records of the first page, without the first skip records.
func (c *Connection[T]) begin(page *upstream.Page[T], skip int, sized sizing) {
	c.page, c.before = page, page.CurrentPage > 1 || skip > 0
	c.skipped = max(0, page.CurrentPage-1)*page.PerPage + int64(min(skip, len(page.Records)))
	c.add(page, skip, sized)
}

// add adds the records of a page, without the first skip records.
func (c *Connection[T]) add(page *upstream.Page[T], skip int, sized sizing) {
	c.records = slices.Grow(c.records, len(page.Records))
	for i := min(skip, len(page.Records)); i < len(page.Records); i++ {
		c.records = append(c.records, placed[T]{page.Records[i], place{int(page.CurrentPage), i, int(page.PerPage), sized}})
	}
	c.more = hasMore(page, sized)
}

// hasMore reports whether the list continues after a page. It is true if either the count of pages or that of records
// says so: contradicting counts must not hide records. If page sizes vary, the records before a page cannot be counted,
// so an empty last page is the end.
func hasMore[T Record](page *upstream.Page[T], sized sizing) bool {
	if page.CurrentPage < page.TotalPages || mayContinue(page) {
		return true
	}
	if page.PerPage == 0 || sized.kind == sizeVaries && page.TotalPages > 0 && len(page.Records) == 0 {
		return false
	}
	pages := page.Total / page.PerPage
	return page.CurrentPage < pages || page.CurrentPage == pages && page.Total%page.PerPage > 0
}

// Field implements projection.Object.
func (c *Connection[T]) Field(name string) (any, error) {
	switch name {
	case "nodes":
		return nodes[T]{c}, nil
	case "edges":
		return edges[T]{c}, nil
	case "pageInfo":
		return c.PageInfo(), nil
	case "totalCount":
		return c.TotalCount()
	case "totalPages":
		return c.TotalPages()
	case "currentPage":
		return c.CurrentPage()
	}
	return c.PerPage()
}

// nodes are the records of a connection. Embedding the connection would make it a projection.Object.
type nodes[T Record] struct{ of *Connection[T] }

// Len implements projection.Records.
func (n nodes[T]) Len() int { return n.of.Len() }

// Raw implements projection.Records.
func (n nodes[T]) Raw(i int) (upstream.Raw, error) { return n.of.Raw(i) }

// edges are the edges of a connection.
type edges[T Record] struct{ of *Connection[T] }

// Len implements projection.Objects.
func (e edges[T]) Len() int { return e.of.Len() }

// Object implements projection.Objects.
func (e edges[T]) Object(i int) projection.Object { return &Edge[T]{e.of, i} }

// Edge is a record with its cursor.
type Edge[T Record] struct {
	of *Connection[T]
	i  int
}

// Field implements projection.Object.
func (e *Edge[T]) Field(name string) (any, error) {
	if name == "cursor" {
		return e.of.Cursor(e.i)
	}
	return e.of.Raw(e.i)
}

// Len returns the number of records.
func (c *Connection[T]) Len() int { return len(c.records) }

// Raw returns a record without decoding it. It fails if the record is not an object.
func (c *Connection[T]) Raw(i int) (upstream.Raw, error) { return c.records[i].Raw() }

// Cursor returns the cursor of a record, opaque to clients.
func (c *Connection[T]) Cursor(i int) (string, error) {
	return cursor{c.records[i].place, c.filter}.encode()
}

// AddElementError adds an error for one element of the list field in ctx.
func AddElementError(ctx context.Context, index int, err error) {
	path := append(graphql.GetPath(ctx), ast.PathIndex(index))
	graphql.AddError(ctx, gqlerror.WrapPath(path, err))
}

// PageInfo describes the connection's position in the list.
func (c *Connection[T]) PageInfo() *PageInfo {
	info := &PageInfo{HasNextPage: c.more, HasPreviousPage: c.before}
	if n := len(c.records); n > 0 {
		info.first, info.last = &cursor{c.records[0].place, c.filter}, &cursor{c.records[n-1].place, c.filter}
	}
	return info
}

// TotalCount returns the number of records that match the filter.
func (c *Connection[T]) TotalCount() (int32, error) { return int32Of("total", c.page.Total) }

// TotalPages returns the number of pages.
func (c *Connection[T]) TotalPages() (int32, error) { return int32Of("totalPages", c.page.TotalPages) }

// CurrentPage returns the number of the API's page that the connection begins in.
func (c *Connection[T]) CurrentPage() (int32, error) {
	return int32Of("currentPage", c.page.CurrentPage)
}

// PerPage returns the size of a page.
func (c *Connection[T]) PerPage() (int32, error) { return int32Of("perPage", c.page.PerPage) }

var errTooBig = errors.New("is more than a GraphQL Int can hold")

func int32Of(name string, n int64) (int32, error) {
	var err error
	switch {
	case n == upstream.Uncounted:
		err = upstream.ErrMissing
	case n > math.MaxInt32:
		err = errTooBig
	default:
		return int32(n), nil
	}
	return 0, upstream.Broken(upstream.Core, name, err)
}

// PageInfo describes the position of a connection in its list.
type PageInfo struct {
	HasNextPage     bool
	HasPreviousPage bool
	first, last     *cursor // nil on an empty page
}

// Field implements projection.Object.
func (p *PageInfo) Field(name string) (any, error) {
	switch name {
	case "hasNextPage":
		return p.HasNextPage, nil
	case "hasPreviousPage":
		return p.HasPreviousPage, nil
	case "startCursor":
		return p.first.field()
	}
	return p.last.field()
}
