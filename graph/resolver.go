package graph

import (
	"context"

	"pixgraph/graph/execute/paging"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/execute/summary"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// resolver is the shared state of all resolvers. The methods are in the *.resolvers.go files, for the schema files that
// need some. They delegate to upstream, paging, loaders.go or the functions below.
type resolver struct {
	sources []linkSource // the sources of a transaction's notification ids, in order
	sdl     string       // the text of the schema; "" unless it is a subgraph
}

// listed resolves a root field with a page of records. Its cursors include the name of the list.
func listed[T paging.Record, F paging.Filter](
	ctx context.Context, filter F, arguments paging.Arguments,
	fetch func(*client.Session, context.Context, F, client.PageRequest) (*upstream.Page[T], error),
) (*paging.Connection[T], error) {
	execution := ExecutionOf(ctx)
	connection, err := paging.Fetch(ctx, upstream.ContractOf[T]().List, filter, arguments, func(ctx context.Context, page client.PageRequest) (*upstream.Page[T], error) {
		page.Shallow = projection.Shallow(ctx)
		page.AnySize = page.AnySize || execution.AnySize
		return fetch(execution.session, ctx, filter, page)
	})
	if err == nil && execution.Listed != nil {
		execution.Listed(connection)
	}
	return connection, err
}

// summed resolves a root field with a summary.
func summed[T paging.Record, F paging.Filter](
	ctx context.Context, filter F, arguments summary.Arguments,
	fetch func(*client.Session, context.Context, F, client.PageRequest) (*upstream.Page[T], error),
) (*summary.Summary, error) {
	execution := ExecutionOf(ctx)
	arguments.Walk = execution.Walk
	return summary.Read(ctx, execution.session, filter, arguments, fetch)
}

// loaded resolves a root field with one record, by id.
func loaded[T upstream.Resource](ctx context.Context, id string) (*T, error) {
	e := ExecutionOf(ctx).ofOperation()
	if e.Call.Cost.UpstreamCalls != 1 || e.Deferred != nil { // a deferred fragment may repeat the field
		return loaderOf[T](ctx).load(ctx, id)
	}
	// The operation can make only this call, so no other field can request the record, which needs no loader.
	lookup, _ := lookupOf[T](e.loaders.lookups)
	lookup.requested.Add(1)
	e.loaders.alone = lookup.noun
	return lookup.call(ctx, e, e.session, lookup.id.Canonical(id))
}

// allLoaded resolves a root field with several records, by their ids.
func allLoaded[T upstream.Resource](ctx context.Context, ids []string) ([]*T, error) {
	return loaderOf[T](ctx).loadAll(ctx, ids)
}
