package projection

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/paging"
	"pixgraph/upstream"
)

// Captures are the root fields of one operation that this package answers, and what their resolvers found. The limit on root
// fields bounds how many there are; they end with the request.
type Captures struct {
	mu     sync.Mutex
	fields []*captured
}

// captured is where the resolver of a root field leaves what it found.
type captured struct {
	alias   string // the response key: in one operation it stands for one root field
	shallow bool   // whether nothing within the objects of a record is read
	found   found
}

// open expects what the resolver of a root field finds.
func (c *Captures) open(alias string, shallow bool) *captured {
	field := &captured{alias: alias, shallow: shallow}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fields = append(c.fields, field)
	return field
}

// of returns the root field that ctx belongs to; nil where this package does not answer it.
func (c *Captures) of(ctx context.Context) *captured {
	alias := graphql.GetRootFieldContext(ctx).Field.Alias
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, field := range c.fields {
		if field.alias == alias {
			return field
		}
	}
	return nil
}

// Shallow tells the resolver of a list that nothing within the objects of its records is going to be read.
func (c *Captures) Shallow(ctx context.Context) bool {
	field := c.of(ctx)
	return field != nil && field.shallow
}

// take keeps what the resolver of a root field found; false where this package does not answer the field.
func (c *Captures) take(ctx context.Context, value found) bool {
	field := c.of(ctx)
	if field == nil {
		return false
	}
	field.found = value
	return true
}

// Offer is for the resolvers of root fields to return a record through: it is taken over where this package writes the
// answer, and returned to gqlgen elsewhere.
func Offer[T upstream.Resource](ctx context.Context, captures *Captures, record *T, err error) (*T, error) {
	if err == nil && record != nil && captures.take(ctx, one[T]{record}) {
		return nil, nil //nolint:nilnil // null is what gqlgen makes of it, and what Intercept replaces
	}
	return record, err
}

// OfferAll is Offer for a list of records.
func OfferAll[T upstream.Resource](ctx context.Context, captures *Captures, records []*T, err error) ([]*T, error) {
	if err == nil && records != nil && captures.take(ctx, several[T](records)) {
		return nil, nil
	}
	return records, err
}

// OfferPage is Offer for a page of records.
func OfferPage[T paging.Record](
	ctx context.Context, captures *Captures, page *paging.Connection[T], err error,
) (*paging.Connection[T], error) {
	if err == nil && page != nil && captures.take(ctx, list[T]{page}) {
		return nil, nil //nolint:nilnil // as in Offer
	}
	return page, err
}
