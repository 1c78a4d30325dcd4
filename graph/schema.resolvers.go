package graph

import (
	"context"
	"pixgraph/graph/generated"
	"pixgraph/graph/paging"
	"pixgraph/upstream"
)

func (r *queryResolver) Deposits(ctx context.Context, filter *upstream.DepositFilter, page *int32, perPage *int32, first *int32, after *string) (*paging.Connection[upstream.Deposit], error) {
	arguments := paging.Arguments{Page: page, PerPage: perPage, First: first, After: after}
	list, err := paging.Fetch(ctx, "deposits", filter, arguments, func(ctx context.Context, page upstream.PageRequest) (*upstream.Page[upstream.Deposit], error) {
		page.Shallow = RequestOf(ctx).Captures.Shallow(ctx)
		return RequestOf(ctx).session.Deposits(ctx, filter, page)
	})
	return offer(ctx, list, err)
}

func (r *queryResolver) Withdrawals(ctx context.Context, filter *upstream.WithdrawalFilter, page *int32, perPage *int32, first *int32, after *string) (*paging.Connection[upstream.Withdrawal], error) {
	arguments := paging.Arguments{Page: page, PerPage: perPage, First: first, After: after}
	list, err := paging.Fetch(ctx, "withdrawals", filter, arguments, func(ctx context.Context, page upstream.PageRequest) (*upstream.Page[upstream.Withdrawal], error) {
		page.Shallow = RequestOf(ctx).Captures.Shallow(ctx)
		return RequestOf(ctx).session.Withdrawals(ctx, filter, page)
	})
	return offer(ctx, list, err)
}

func (r *queryResolver) Withdrawal(ctx context.Context, id string) (*upstream.Withdrawal, error) {
	record, err := loaderOf[upstream.Withdrawal](ctx).load(ctx, id)
	return offer(ctx, record, err)
}

func (r *queryResolver) Transaction(ctx context.Context, id string) (*upstream.Transaction, error) {
	record, err := loaderOf[upstream.Transaction](ctx).load(ctx, id)
	return offer(ctx, record, err)
}

func (r *queryResolver) Transactions(ctx context.Context, ids []string) ([]*upstream.Transaction, error) {
	records, err := loaderOf[upstream.Transaction](ctx).loadAll(ctx, ids)
	return offerAll(ctx, records, err)
}

func (r *queryResolver) Notification(ctx context.Context, id string) (*upstream.Notification, error) {
	record, err := loaderOf[upstream.Notification](ctx).load(ctx, id)
	return offer(ctx, record, err)
}

func (r *queryResolver) Notifications(ctx context.Context, ids []string) ([]*upstream.Notification, error) {
	records, err := loaderOf[upstream.Notification](ctx).loadAll(ctx, ids)
	return offerAll(ctx, records, err)
}

func (r *resolver) Query() generated.QueryResolver { return &queryResolver{r} }

type queryResolver struct{ *resolver }
