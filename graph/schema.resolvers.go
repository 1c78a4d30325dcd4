package graph

import (
	"context"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/execute/summary"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

func (r *queryResolver) Deposits(ctx context.Context, filter *upstream.DepositFilter, page *int32, perPage *int32, first *int32, after *string) (*paging.Connection[upstream.Deposit], error) {
	arguments := paging.Arguments{Page: page, PerPage: perPage, First: first, After: after}
	return listed(ctx, filter, arguments, (*client.Session).Deposits)
}

func (r *queryResolver) Withdrawals(ctx context.Context, filter *upstream.WithdrawalFilter, page *int32, perPage *int32, first *int32, after *string) (*paging.Connection[upstream.Withdrawal], error) {
	arguments := paging.Arguments{Page: page, PerPage: perPage, First: first, After: after}
	return listed(ctx, filter, arguments, (*client.Session).Withdrawals)
}

func (r *queryResolver) DepositSummary(ctx context.Context, filter *upstream.DepositFilter, groupBy []summary.Grouping, timeZone string, dayOf summary.Date, fromDay *string, toDay *string, maxPages int32) (*summary.Summary, error) {
	arguments := summary.Arguments{GroupBy: groupBy, TimeZone: timeZone, DayOf: dayOf, FromDay: fromDay, ToDay: toDay, MaxPages: maxPages}
	return summed(ctx, filter, arguments, (*client.Session).Deposits)
}

func (r *queryResolver) WithdrawalSummary(ctx context.Context, filter *upstream.WithdrawalFilter, groupBy []summary.Grouping, timeZone string, dayOf summary.Date, fromDay *string, toDay *string, maxPages int32) (*summary.Summary, error) {
	arguments := summary.Arguments{GroupBy: groupBy, TimeZone: timeZone, DayOf: dayOf, FromDay: fromDay, ToDay: toDay, MaxPages: maxPages}
	return summed(ctx, filter, arguments, (*client.Session).Withdrawals)
}

func (r *queryResolver) Withdrawal(ctx context.Context, id string) (*upstream.Withdrawal, error) {
	return loaded[upstream.Withdrawal](ctx, id)
}

func (r *queryResolver) Transaction(ctx context.Context, id string) (*upstream.Transaction, error) {
	return loaded[upstream.Transaction](ctx, id)
}

func (r *queryResolver) Transactions(ctx context.Context, ids []string) ([]*upstream.Transaction, error) {
	return allLoaded[upstream.Transaction](ctx, ids)
}

func (r *queryResolver) Notification(ctx context.Context, id string) (*upstream.Notification, error) {
	return loaded[upstream.Notification](ctx, id)
}

func (r *queryResolver) Notifications(ctx context.Context, ids []string) ([]*upstream.Notification, error) {
	return allLoaded[upstream.Notification](ctx, ids)
}

func (r *queryResolver) AwaitTransaction(ctx context.Context, id string, until []upstream.TransactionStatus, since *string, timeoutSeconds int32) (*upstream.Transaction, error) {
	return awaited[upstream.Transaction](ctx, id, until, since, timeoutSeconds)
}

func (r *queryResolver) AwaitWithdrawal(ctx context.Context, id string, until []upstream.WithdrawalStatus, since *string, timeoutSeconds int32) (*upstream.Withdrawal, error) {
	return awaited[upstream.Withdrawal](ctx, id, until, since, timeoutSeconds)
}

func (r *queryResolver) PixKey(ctx context.Context, text string) (*upstream.PixKeyText, error) {
	return upstream.ParsePixKey(text), nil
}

func (r *queryResolver) PixCode(ctx context.Context, text string) (*upstream.BRCode, error) {
	return upstream.ParseBRCode(text), nil
}

func (r *resolver) Query() generated.QueryResolver { return &queryResolver{r} }

type queryResolver struct{ *resolver }
