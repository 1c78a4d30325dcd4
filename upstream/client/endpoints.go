package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"pixgraph/upstream"
	"pixgraph/upstream/pix"
	"pixgraph/upstream/wire"
)

// endpoints are the operations of the APIs that are called (spec 4).
type endpoints struct{ deposits, withdrawals, transaction, notification *call }

func newEndpoints(core, dispatcher *service) endpoints {
	return endpoints{
		deposits:     &call{op: "list deposits", service: core, path: "deposit", route: "/deposit"},
		withdrawals:  &call{op: "list withdrawals", service: core, path: "withdrawal", route: "/withdrawal"},
		transaction:  &call{op: "get a transaction", service: core, path: "transaction", route: "/transaction/{id}"},
		notification: &call{op: "get a notification", service: dispatcher, path: "request", route: "/request/{id}"},
	}
}

// Deposits lists deposits: GET {core}/deposit (spec 4.1).
func (s *Session) Deposits(ctx context.Context, filter *upstream.DepositFilter, page PageRequest) (*upstream.Page[upstream.Deposit], error) {
	return list[upstream.Deposit](ctx, s, s.client.deposits, filter.Query(), filter.Violations(), page)
}

// Withdrawals lists withdrawals: GET {core}/withdrawal (spec 4.2).
func (s *Session) Withdrawals(ctx context.Context, filter *upstream.WithdrawalFilter, page PageRequest) (*upstream.Page[upstream.Withdrawal], error) {
	return list[upstream.Withdrawal](ctx, s, s.client.withdrawals, filter.Query(), filter.Violations(), page)
}

// Withdrawal gets one withdrawal by the id filter of the list (spec 4.2): the API has no lookup of its own.
// The answer's id is checked: an API that ignores the filter must not hand out somebody's other withdrawal.
func (s *Session) Withdrawal(ctx context.Context, id string) (*upstream.Withdrawal, error) {
	s.begin()
	defer s.done()
	page, err := s.Withdrawals(ctx, &upstream.WithdrawalFilter{ID: &id}, PageRequest{})
	if err != nil {
		return nil, err
	}
	for _, record := range page.Records {
		withdrawal, err := record.Decode()
		if err != nil {
			continue
		}
		if got, err := withdrawal.ID(); err == nil && got.Equal(id) {
			return withdrawal, nil
		}
	}
	if len(page.Records) == 0 {
		return nil, s.client.withdrawals.failed(upstream.KindNotFound, errNoRecord)
	}
	return nil, s.client.withdrawals.failed(upstream.KindInvalidResponse, errOtherRecord)
}

// Transaction gets one transaction: GET {core}/transaction/{id} (spec 4.3). The id is a UUID of any version.
func (s *Session) Transaction(ctx context.Context, id string) (*upstream.Transaction, error) {
	if !pix.ValidUUID(id) {
		return nil, invalidInput(s.client.transaction, upstream.Violation{Field: "id", Rule: "must be a UUID"})
	}
	return lookup[upstream.Transaction](ctx, s, s.client.transaction, id)
}

// Notification gets one notification: GET {dispatcher}/request/{id} (spec 4.4). It needs the scope get_dispatcher.
func (s *Session) Notification(ctx context.Context, id string) (*upstream.Notification, error) {
	if !upstream.ValidNotificationID(id) {
		return nil, invalidInput(s.client.notification, upstream.Violation{
			Field: "id", Rule: "must be a notification id: 1 to 1,024 bytes of UTF-8 without control characters, and not . or ..",
		})
	}
	return lookup[upstream.Notification](ctx, s, s.client.notification, id)
}

func invalidInput(c *call, list ...upstream.Violation) error {
	return c.failed(upstream.KindInvalidInput, &upstream.InvalidInputError{Violations: list})
}

// list asks the core API for one page. Nothing is sent when the filter or the page cannot be asked for.
func list[T upstream.Resource](
	ctx context.Context, s *Session, to *call, query url.Values, invalid []upstream.Violation, want PageRequest,
) (*upstream.Page[T], error) {
	if want.Number < 0 {
		invalid = append(invalid, upstream.Violation{Field: "page", Rule: "must be 1 or more"})
	}
	if want.Size < 0 {
		invalid = append(invalid, upstream.Violation{Field: "perPage", Rule: "must be 1 or more"})
	}
	if len(invalid) > 0 {
		return nil, invalidInput(to, invalid...)
	}
	if err := s.client.paging.add(query, want); err != nil {
		return nil, to.failed(upstream.KindPagingNotSupported, err)
	}
	s.begin()
	defer s.done()
	raw, own, err := s.get(ctx, to, to.service.url(query, to.path))
	if err != nil {
		var failed *upstream.Error
		if errors.As(err, &failed) && failed.Kind == upstream.KindNotFound {
			failed.Kind = upstream.KindInvalidResponse // a list is never not found (spec 4.1, 4.2): the base URL is another API's
		}
		return nil, err
	}
	index := wire.Index
	if want.Shallow {
		index = wire.IndexRecords
	}
	value, err := index(raw)
	if err != nil {
		return nil, to.failed(upstream.KindInvalidResponse, err)
	}
	if err := s.keep(raw, own, value); err != nil {
		return nil, to.failed(upstream.KindOverloaded, err)
	}
	page, err := upstream.ReadPage[T](value)
	if err != nil {
		return nil, to.failed(upstream.KindInvalidResponse, err)
	}
	if err := checkPage(page, want); err != nil {
		return nil, to.failed(upstream.KindPagingNotSupported, err)
	}
	return page, nil
}

var (
	errOtherRecord = errors.New("the answer is a record of another id")
	errNoRecord    = errors.New("the answer has no record")
)

// lookup gets one record by its id, and checks that it is the one.
func lookup[T upstream.Resource](ctx context.Context, s *Session, to *call, id string) (*T, error) {
	s.begin()
	defer s.done()
	raw, own, err := s.get(ctx, to, to.service.url(nil, to.path, id))
	if err != nil {
		return nil, err
	}
	value, err := wire.Index(raw)
	if err != nil {
		return nil, to.failed(upstream.KindInvalidResponse, fmt.Errorf("the body %w", err))
	}
	if err := s.keep(raw, own, value); err != nil {
		return nil, to.failed(upstream.KindOverloaded, err)
	}
	record, err := upstream.ReadRecord[T](to.service.name, value)
	if err != nil {
		return nil, to.failed(upstream.KindInvalidResponse, fmt.Errorf("the body %w", err))
	}
	got, err := upstream.RawOf(record).Text("id", true)
	if err != nil {
		return nil, err
	}
	if !got.Equal(id) {
		return nil, to.failed(upstream.KindInvalidResponse, errOtherRecord)
	}
	return record, nil
}
