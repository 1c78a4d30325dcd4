package projection

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
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
	value   any
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

// Offer is for the resolvers of root fields to return through: what they found is taken over where this package writes
// the answer, and returned to gqlgen elsewhere.
func Offer[T any](ctx context.Context, captures *Captures, value *T, err error) (*T, error) {
	if err == nil && value != nil {
		if field := captures.of(ctx); field != nil {
			field.value = value
			return nil, nil //nolint:nilnil // null is what gqlgen makes of it, and what Intercept replaces
		}
	}
	return value, err
}

// OfferAll is Offer for lists.
func OfferAll[T any](ctx context.Context, captures *Captures, values []*T, err error) ([]*T, error) {
	if err == nil && values != nil {
		if field := captures.of(ctx); field != nil {
			field.value = values
			return nil, nil
		}
	}
	return values, err
}
