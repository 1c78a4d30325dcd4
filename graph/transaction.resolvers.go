package graph

import (
	"context"
	"pixgraph/graph/execute/links"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
)

func (r *transactionResolver) Items(ctx context.Context, obj *upstream.Transaction) ([]*upstream.Item, error) {
	items, err := obj.Items()
	return values(ctx, items, err)
}

func (r *transactionResolver) StatusHistory(ctx context.Context, obj *upstream.Transaction) ([]*upstream.TransactionStatusHistory, error) {
	history, err := obj.StatusHistory()
	return values(ctx, history, err)
}

func (r *transactionResolver) Notifications(ctx context.Context, obj *upstream.Transaction, ids []string) (*links.Notifications, error) {
	if err := checkIDs(ids); err != nil {
		return nil, err
	}
	return linkNotifications(ctx, obj, append([]linkSource{argumentSource(ids)}, r.sources...))
}

func (r *resolver) Transaction() generated.TransactionResolver { return &transactionResolver{r} }

type transactionResolver struct{ *resolver }
