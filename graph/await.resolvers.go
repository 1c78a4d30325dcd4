package graph

import (
	"context"
	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

func (r *queryResolver) AwaitTransaction(ctx context.Context, id string, until []upstream.TransactionStatus, since *string, timeoutSeconds int32) (*upstream.Transaction, error) {
	return awaited[upstream.Transaction](ctx, live.Transaction, id, until, since, timeoutSeconds)
}

func (r *queryResolver) AwaitWithdrawal(ctx context.Context, id string, until []upstream.WithdrawalStatus, since *string, timeoutSeconds int32) (*upstream.Withdrawal, error) {
	return awaited[upstream.Withdrawal](ctx, live.Withdrawal, id, until, since, timeoutSeconds)
}
