package graph

import (
	"context"
	"pixgraph/graph/execute/links"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
)

func (r *notificationResolver) Tags(ctx context.Context, obj *upstream.Notification) ([]*string, error) {
	tags, err := obj.Tags()
	return texts(ctx, tags, err)
}

func (r *notificationResolver) StatusHistory(ctx context.Context, obj *upstream.Notification) ([]*upstream.NotificationStatusHistory, error) {
	history, err := obj.StatusHistory()
	return values(ctx, history, err)
}

func (r *notificationResolver) Executions(ctx context.Context, obj *upstream.Notification) ([]*upstream.Execution, error) {
	executions, err := obj.Executions()
	return values(ctx, executions, err)
}

func (r *notificationResolver) Transaction(ctx context.Context, obj *upstream.Notification) (*upstream.Transaction, error) {
	return linked[upstream.Transaction](ctx, r.calls, obj)
}

func (r *notificationResolver) Withdrawal(ctx context.Context, obj *upstream.Notification) (*upstream.Withdrawal, error) {
	return linked[upstream.Withdrawal](ctx, r.calls, obj)
}

func (r *transactionNotificationsResolver) Nodes(ctx context.Context, obj *links.Notifications) ([]*upstream.Notification, error) {
	for i, err := range obj.Errors {
		if err != nil {
			paging.AddElementError(ctx, i, err)
		}
	}
	return obj.Nodes, nil
}

func (r *resolver) Notification() generated.NotificationResolver { return &notificationResolver{r} }

func (r *resolver) TransactionNotifications() generated.TransactionNotificationsResolver {
	return &transactionNotificationsResolver{r}
}

type (
	notificationResolver             struct{ *resolver }
	transactionNotificationsResolver struct{ *resolver }
)
