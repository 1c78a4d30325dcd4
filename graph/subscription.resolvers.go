package graph

import (
	"context"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

func (r *subscriptionResolver) Transaction(ctx context.Context, id string, until []upstream.TransactionStatus, since *string) (<-chan *upstream.Transaction, error) {
	return watchRecord[upstream.Transaction](ctx, live.Transaction, id, until, since)
}

func (r *subscriptionResolver) Withdrawal(ctx context.Context, id string, until []upstream.WithdrawalStatus, since *string) (<-chan *upstream.Withdrawal, error) {
	return watchRecord[upstream.Withdrawal](ctx, live.Withdrawal, id, until, since)
}

func (r *subscriptionResolver) Notification(ctx context.Context, id string, until []upstream.NotificationStatus, since *string) (<-chan *upstream.Notification, error) {
	return watchRecord[upstream.Notification](ctx, live.Notification, id, until, since)
}

func (r *subscriptionResolver) Deposits(ctx context.Context, filter *upstream.DepositFilter, page *int32, perPage *int32) (<-chan *paging.Connection[upstream.Deposit], error) {
	return watchPage[upstream.Deposit](ctx, live.Deposits, filter, paging.Arguments{Page: page, PerPage: perPage})
}

func (r *subscriptionResolver) Withdrawals(ctx context.Context, filter *upstream.WithdrawalFilter, page *int32, perPage *int32) (<-chan *paging.Connection[upstream.Withdrawal], error) {
	return watchPage[upstream.Withdrawal](ctx, live.Withdrawals, filter, paging.Arguments{Page: page, PerPage: perPage})
}

func (r *resolver) Subscription() generated.SubscriptionResolver { return &subscriptionResolver{r} }

type subscriptionResolver struct{ *resolver }
