package graph

import (
	"context"

	"pixgraph/graph/paging"
	"pixgraph/graph/projection"
	"pixgraph/upstream"
)

// resolver is what all resolvers share. The methods are in the *.resolvers.go files, one per schema file; a resolver
// there is a few lines that hand over to upstream, paging, loaders.go or links.go.
type resolver struct {
	sources []linkSource // where the ids of a transaction's notifications may be found, in order
}

// offer is what the resolver of a root field returns through, so that the fast path can take over what it found.
func offer[T any](ctx context.Context, found *T, err error) (*T, error) {
	return projection.Offer(ctx, &RequestOf(ctx).Captures, found, err)
}

// offerAll is offer for a list.
func offerAll[T any](ctx context.Context, found []*T, err error) ([]*T, error) {
	return projection.OfferAll(ctx, &RequestOf(ctx).Captures, found, err)
}

// values gives the values of a list whose elements stand alone. A broken element leaves a nil at its place, and an
// error under the place's path.
func values[T any](ctx context.Context, elements []upstream.Element[T], err error) ([]*T, error) {
	if elements == nil || err != nil {
		return nil, err
	}
	list := make([]*T, len(elements))
	for i, element := range elements {
		if element.Err != nil {
			paging.AddElementError(ctx, i, element.Err)
		}
		list[i] = element.Value
	}
	return list, nil
}

// texts is values for a list of texts.
func texts(ctx context.Context, elements []upstream.Element[upstream.Text], err error) ([]*string, error) {
	list, err := values(ctx, elements, err)
	if list == nil || err != nil {
		return nil, err
	}
	decoded := make([]*string, len(list))
	for i, text := range list {
		if text != nil {
			s := text.String()
			decoded[i] = &s
		}
	}
	return decoded, nil
}
