package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"

	"pixgraph/upstream"
	"pixgraph/upstream/pix"
	"pixgraph/upstream/wire"
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

// endpoint is one operation of the APIs (spec 4).
type endpoint struct {
	op      string // for errors: "list deposits"
	service *service
	path    string
	route   string // the path with a placeholder for the id, for Exchange

	// usualBody is the size of the last response in bytes. It sizes the memory for a response without Content-Length.
	//
	//   - Key: the endpoint. It is shared by all callers; no response depends on it, only how much memory is allocated.
	//   - Bound: 8 bytes. The memory is at most buffer.MaxSize (1 MiB) for each exchange in flight; shrink releases
	//     what a response does not need.
	//   - Filled by: any caller, with each response.
	//   - Emptied by: the next response.
	usualBody atomic.Int64
}

func (e *endpoint) newError(kind upstream.Kind, err error) error {
	return &upstream.Error{Op: e.op, Service: e.service.name, Kind: kind, Err: err}
}

// Deposits lists deposits: GET {core}/deposit (spec 4.1).
func (s *Session) Deposits(ctx context.Context, filter *upstream.DepositFilter, page PageRequest) (*upstream.Page[upstream.Deposit], error) {
	return list[upstream.Deposit](ctx, s, s.client.deposits, filter.Query(), filter.Violations(), page)
}

// Withdrawals lists withdrawals: GET {core}/withdrawal (spec 4.2).
func (s *Session) Withdrawals(ctx context.Context, filter *upstream.WithdrawalFilter, page PageRequest) (*upstream.Page[upstream.Withdrawal], error) {
	return list[upstream.Withdrawal](ctx, s, s.client.withdrawals, filter.Query(), filter.Violations(), page)
}

// Withdrawal gets one withdrawal by the filter id of the list (spec 4.2), since the API has no endpoint for one
// withdrawal. It checks the ids of the records, because an API that ignores the filter returns other withdrawals.
func (s *Session) Withdrawal(ctx context.Context, id string) (*upstream.Withdrawal, error) {
	s.beginReading()
	defer s.endReading()
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
		return nil, s.client.withdrawals.newError(upstream.KindNotFound, errNoRecord)
	}
	return nil, s.client.withdrawals.newError(upstream.KindInvalidResponse, errOtherRecord)
}

// Transaction gets one transaction: GET {core}/transaction/{id} (spec 4.3). The id is a UUID of any version.
func (s *Session) Transaction(ctx context.Context, id string) (*upstream.Transaction, error) {
	if !pix.ValidUUID(id) {
		return nil, s.client.transaction.invalidInput(upstream.Violation{Field: "id", Rule: "must be a UUID"})
	}
	return get[upstream.Transaction](ctx, s, s.client.transaction, id)
}

// Notification gets one notification: GET {dispatcher}/request/{id} (spec 4.4). It requires the scope get_dispatcher.
func (s *Session) Notification(ctx context.Context, id string) (*upstream.Notification, error) {
	if !upstream.ValidNotificationID(id) {
		return nil, s.client.notification.invalidInput(upstream.Violation{
			Field: "id", Rule: "must be a notification id: 1 to 1,024 bytes of UTF-8 without control characters and segments . or ..",
		})
	}
	return get[upstream.Notification](ctx, s, s.client.notification, id)
}

func (e *endpoint) invalidInput(violations ...upstream.Violation) error {
	return e.newError(upstream.KindInvalidInput, &upstream.InvalidInputError{Violations: violations})
}

// list gets one page of a list. It makes no call if the filter or the page is invalid.
func list[T upstream.Resource](
	ctx context.Context, s *Session, e *endpoint, query url.Values, invalid []upstream.Violation, want PageRequest,
) (*upstream.Page[T], error) {
	if want.Number < 0 {
		invalid = append(invalid, upstream.Violation{Field: "page", Rule: "must be 1 or more"})
	}
	if want.Size < 0 {
		invalid = append(invalid, upstream.Violation{Field: "perPage", Rule: "must be 1 or more"})
	}
	if len(invalid) > 0 {
		return nil, e.invalidInput(invalid...)
	}
	if err := s.client.addPage(query, want); err != nil {
		return nil, e.newError(upstream.KindPagingNotSupported, err)
	}
	s.beginReading()
	defer s.endReading()
	index := wire.Index
	if want.Shallow {
		index = wire.IndexRecords
	}
	value, err := s.read(ctx, e, e.service.url(query, e.path), index)
	if err != nil {
		var failed *upstream.Error
		if errors.As(err, &failed) && failed.Kind == upstream.KindNotFound {
			failed.Kind = upstream.KindInvalidResponse // lists have no 404 (spec 4.1, 4.2): the base URL is that of another API
		}
		return nil, err
	}
	page, err := upstream.ReadPage[T](value)
	if err != nil {
		return nil, e.newError(upstream.KindInvalidResponse, err)
	}
	if err := checkPage(page, want); err != nil {
		return nil, e.newError(upstream.KindPagingNotSupported, err)
	}
	return page, nil
}

var (
	errOtherRecord = errors.New("the response is a record with another id")
	errNoRecord    = errors.New("the response has no record")
)

// get gets one record by its id, and checks the id of the record.
func get[T upstream.Resource](ctx context.Context, s *Session, e *endpoint, id string) (*T, error) {
	s.beginReading()
	defer s.endReading()
	value, err := s.read(ctx, e, e.service.url(nil, e.path, id), wire.Index)
	if err != nil {
		return nil, err
	}
	record, err := upstream.ReadRecord[T](e.service.name, value)
	if err != nil {
		return nil, e.newError(upstream.KindInvalidResponse, fmt.Errorf("the body %w", err))
	}
	got, err := upstream.RawOf(record).Text("id", true)
	if err != nil {
		return nil, err
	}
	if !got.Equal(id) {
		return nil, e.newError(upstream.KindInvalidResponse, errOtherRecord)
	}
	return record, nil
}

// read gets a response and indexes it. The session keeps the memory of both.
func (s *Session) read(ctx context.Context, e *endpoint, target string, index func([]byte) (wire.Value, error)) (wire.Value, error) {
	body, own, err := s.get(ctx, e, target)
	if err != nil {
		return wire.Value{}, err
	}
	if s.unchanged(body, own) {
		return wire.Value{}, ErrUnchanged
	}
	s.Turn.Step(ctx)
	value, err := index(body)
	if err != nil {
		return wire.Value{}, e.newError(upstream.KindInvalidResponse, fmt.Errorf("the body %w", err))
	}
	if err := s.retain(target, body, own, value); err != nil {
		return wire.Value{}, e.newError(upstream.KindOverloaded, err)
	}
	return value, nil
}
