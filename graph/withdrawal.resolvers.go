package graph

import (
	"context"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
)

func (r *withdrawalResolver) StatusHistory(ctx context.Context, obj *upstream.Withdrawal) ([]*upstream.WithdrawalStatusHistory, error) {
	history, err := obj.StatusHistory()
	return values(ctx, history, err)
}

func (r *resolver) Withdrawal() generated.WithdrawalResolver { return &withdrawalResolver{r} }

type withdrawalResolver struct{ *resolver }
