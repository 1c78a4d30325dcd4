package graph

import (
	"context"
	"pixgraph/graph/generated"
	"pixgraph/graph/model"
	"pixgraph/upstream"
)

func (r *transactionResolver) Notifications(ctx context.Context, obj *upstream.Transaction, ids []string) (*model.Notifications, error) {
	if err := checkIDs(ids); err != nil {
		return nil, err
	}
	return linkNotifications(ctx, obj, append([]linkSource{argumentSource(ids)}, r.sources...))
}

func (r *resolver) Transaction() generated.TransactionResolver { return &transactionResolver{r} }

type transactionResolver struct{ *resolver }
