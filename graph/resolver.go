package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/calls"
	"pixgraph/graph/paging"
	"pixgraph/graph/projection"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// resolver is what all resolvers share. The methods are in the *.resolvers.go files, one per schema file; a resolver
// there is a few lines that hand over to upstream, paging, loaders.go or the functions below.
type resolver struct {
	calls   calls.Fields // that the schema declares
	sources []linkSource // where the ids of a transaction's notifications may be found, in order
}

// A resolver of a root field returns through one of the functions below. They offer what was found to the fast path, which may
// take it over.

// listed resolves a root field that is a page of records. The name of the list goes into its cursors.
func listed[T paging.Record, F paging.Filter](
	ctx context.Context, list string, filter F, arguments paging.Arguments,
	fetch func(*client.Session, context.Context, F, client.PageRequest) (*upstream.Page[T], error),
) (*paging.Connection[T], error) {
	request := RequestOf(ctx)
	page, err := paging.Fetch(ctx, list, filter, arguments, func(ctx context.Context, page client.PageRequest) (*upstream.Page[T], error) {
		page.Shallow = request.Captures.Shallow(ctx)
		return fetch(request.session, ctx, filter, page)
	})
	return projection.OfferPage(ctx, &request.Captures, page, err)
}

// loaded resolves a root field that is the record of an id.
func loaded[T upstream.Resource](ctx context.Context, id string) (*T, error) {
	record, err := loaderOf[T](ctx).load(ctx, id)
	return projection.Offer(ctx, &RequestOf(ctx).Captures, record, err)
}

// allLoaded resolves a root field that is the records of several ids.
func allLoaded[T upstream.Resource](ctx context.Context, ids []string) ([]*T, error) {
	records, err := loaderOf[T](ctx).loadAll(ctx, ids)
	return projection.OfferAll(ctx, &RequestOf(ctx).Captures, records, err)
}

// linked resolves a field of a record that is declared as a link to one other record, as the fast path does.
func linked[T, From upstream.Resource](ctx context.Context, declared calls.Fields, from *From) (*T, error) {
	field := declared[graphql.GetFieldContext(ctx).Field.Definition]
	return loaderOf[T](ctx).follow(ctx, upstream.RawOf(from), *field.ID, here(ctx))()
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
