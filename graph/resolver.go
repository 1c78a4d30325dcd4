package graph

import (
	"context"

	"pixgraph/graph/paging"
	"pixgraph/upstream"
)

// resolver is what all resolvers share. The methods are in the *.resolvers.go files, one per schema file; a resolver
// there is a few lines that hand over to upstream, paging, loaders.go or links.go.
type resolver struct {
	client *upstream.Client
	links  []linkSource // where the ids of a transaction's notifications may be found, in order
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
