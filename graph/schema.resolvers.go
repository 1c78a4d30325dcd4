package graph

import (
	"context"
	"pixgraph/graph/generated"
	"pixgraph/graph/paging"
	"pixgraph/upstream"
)

func (r *queryResolver) Deposits(ctx context.Context, filter *upstream.DepositFilter, page *int32, perPage *int32, first *int32, after *string) (*paging.Connection[upstream.Deposit], error) {
	arguments := paging.Arguments{Page: page, PerPage: perPage, First: first, After: after}
	return paging.Fetch(ctx, "deposits", filter, arguments, func(ctx context.Context, page upstream.PageRequest) (*upstream.Page[upstream.Deposit], error) {
		return r.client.Deposits(ctx, filter, page)
	})
}

func (r *queryResolver) Withdrawals(ctx context.Context, filter *upstream.WithdrawalFilter, page *int32, perPage *int32, first *int32, after *string) (*paging.Connection[upstream.Withdrawal], error) {
	arguments := paging.Arguments{Page: page, PerPage: perPage, First: first, After: after}
	return paging.Fetch(ctx, "withdrawals", filter, arguments, func(ctx context.Context, page upstream.PageRequest) (*upstream.Page[upstream.Withdrawal], error) {
		return r.client.Withdrawals(ctx, filter, page)
	})
}

func (r *queryResolver) Withdrawal(ctx context.Context, id string) (*upstream.Withdrawal, error) {
	return loadersOf(ctx).withdrawals.load(ctx, id)
}

func (r *queryResolver) Transaction(ctx context.Context, id string) (*upstream.Transaction, error) {
	return loadersOf(ctx).transactions.load(ctx, id)
}

func (r *queryResolver) Transactions(ctx context.Context, ids []string) ([]*upstream.Transaction, error) {
	return loadersOf(ctx).transactions.loadAll(ctx, ids)
}

func (r *queryResolver) Notification(ctx context.Context, id string) (*upstream.Notification, error) {
	return loadersOf(ctx).notifications.load(ctx, id)
}

func (r *queryResolver) Notifications(ctx context.Context, ids []string) ([]*upstream.Notification, error) {
	return loadersOf(ctx).notifications.loadAll(ctx, ids)
}

func (r *resolver) Query() generated.QueryResolver { return &queryResolver{r} }

type queryResolver struct{ *resolver }
