package graph

import (
	"context"

	"github.com/graph-gophers/dataloader/v7"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/projection"
	"pixgraph/upstream"
	"pixgraph/upstream/pix"
)

// A notification refers to one record, of a kind that the spec does not show: its referenceId is tried as a transaction's
// id where it is a UUID, and as a withdrawal's where it is one of version 4, as the API asks for (spec 4.2, 4.3).

// referredTransaction begins to fetch the transaction that a notification refers to.
func referredTransaction(ctx context.Context, n *upstream.Notification, at func() ast.Path) dataloader.Thunk[*upstream.Transaction] {
	return referred(ctx, n, at, pix.ValidUUID, loaderOf[upstream.Transaction](ctx))
}

// referredWithdrawal begins to fetch the withdrawal that a notification refers to.
func referredWithdrawal(ctx context.Context, n *upstream.Notification, at func() ast.Path) dataloader.Thunk[*upstream.Withdrawal] {
	return referred(ctx, n, at, pix.ValidUUIDv4, loaderOf[upstream.Withdrawal](ctx))
}

func referred[T upstream.Resource](
	ctx context.Context, n *upstream.Notification, at func() ast.Path, isID func(string) bool, records *loader[T],
) dataloader.Thunk[*T] {
	reference, err := n.ReferenceID()
	if err != nil || !isID(reference.String()) {
		return func() (*T, error) { return nil, err }
	}
	return records.follow(ctx, reference.String(), at)
}

// Links are the links of the schema that lead to one record, for the fast path.
func Links() projection.Links {
	return projection.Links{
		"Notification.transaction": func(ctx context.Context, raw upstream.Raw, at func() ast.Path) func() (*upstream.Raw, error) {
			return rawOf(referredTransaction(ctx, upstream.FromRaw[upstream.Notification](raw), at))
		},
		"Notification.withdrawal": func(ctx context.Context, raw upstream.Raw, at func() ast.Path) func() (*upstream.Raw, error) {
			return rawOf(referredWithdrawal(ctx, upstream.FromRaw[upstream.Notification](raw), at))
		},
	}
}

func rawOf[T upstream.Withdrawal | upstream.Transaction](wait dataloader.Thunk[*T]) func() (*upstream.Raw, error) {
	return func() (*upstream.Raw, error) {
		record, err := wait()
		if record == nil || err != nil {
			return nil, err
		}
		raw := upstream.RawOf(record)
		return &raw, nil
	}
}
