// Code generated from docs/upstream-api.yaml by upstream/contract/generate. DO NOT EDIT.

package client

import (
	"context"

	"pixgraph/upstream"
)

// endpoints are the operations of the APIs that are called (spec 4).
type endpoints struct{ deposits, withdrawals, transaction, notification *endpoint }

func newEndpoints(core, dispatcher *service) endpoints {
	return endpoints{
		deposits:     &endpoint{op: "list deposits", service: core, path: "deposit", route: "/deposit"},
		withdrawals:  &endpoint{op: "list withdrawals", service: core, path: "withdrawal", route: "/withdrawal"},
		transaction:  &endpoint{op: "get a transaction", service: core, path: "transaction", route: "/transaction/{id}"},
		notification: &endpoint{op: "get a notification", service: dispatcher, path: "request", route: "/request/{id}"},
	}
}

// Deposits lists records: GET {core}/deposit (spec 4.1).
func (s *Session) Deposits(ctx context.Context, filter *upstream.DepositFilter, page PageRequest) (*upstream.Page[upstream.Deposit], error) {
	return list[upstream.Deposit](ctx, s, s.client.deposits, filter.Query(), filter.Violations(), page)
}

// Withdrawals lists records: GET {core}/withdrawal (spec 4.2).
func (s *Session) Withdrawals(ctx context.Context, filter *upstream.WithdrawalFilter, page PageRequest) (*upstream.Page[upstream.Withdrawal], error) {
	return list[upstream.Withdrawal](ctx, s, s.client.withdrawals, filter.Query(), filter.Violations(), page)
}

// Withdrawal gets one record by the filter id of the list (spec 4.2).
func (s *Session) Withdrawal(ctx context.Context, id string) (*upstream.Withdrawal, error) {
	return find(ctx, s, s.client.withdrawals, &upstream.WithdrawalFilter{ID: &id}, id, s.Withdrawals)
}

// Transaction gets one record: GET {core}/transaction/{id} (spec 4.3).
func (s *Session) Transaction(ctx context.Context, id string) (*upstream.Transaction, error) {
	return get[upstream.Transaction](ctx, s, s.client.transaction, id)
}

// Notification gets one record: GET {dispatcher}/request/{id} (spec 4.4).
func (s *Session) Notification(ctx context.Context, id string) (*upstream.Notification, error) {
	return get[upstream.Notification](ctx, s, s.client.notification, id)
}
