package graph

import (
	"context"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
)

func (r *depositResolver) StatusHistory(ctx context.Context, obj *upstream.Deposit) ([]*upstream.DepositStatusHistory, error) {
	history, err := obj.StatusHistory()
	return values(ctx, history, err)
}

func (r *resolver) Deposit() generated.DepositResolver { return &depositResolver{r} }

type depositResolver struct{ *resolver }
