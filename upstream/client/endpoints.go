package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"

	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

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

// find gets one record by the filter id of a list, for a kind without an endpoint for one record. It checks the ids of
// the records, because an API that ignores the filter returns others.
func find[T upstream.Resource, F any](
	ctx context.Context, s *Session, e *endpoint, filter F, id string, list func(context.Context, F, PageRequest) (*upstream.Page[T], error),
) (*T, error) {
	s.beginReading()
	defer s.endReading()
	page, err := list(ctx, filter, PageRequest{})
	if err != nil {
		return nil, err
	}
	for _, record := range page.Records {
		found, err := record.Raw()
		if err != nil {
			continue
		}
		if got, err := found.ID(); err == nil && got.Equal(id) {
			return upstream.ResourceOf[T](found), nil
		}
	}
	if len(page.Records) == 0 {
		return nil, e.newError(upstream.KindNotFound, errNoRecord)
	}
	return nil, e.newError(upstream.KindInvalidResponse, errOtherRecord)
}

// get gets one record by its id, and checks the id of the record.
func get[T upstream.Resource](ctx context.Context, s *Session, e *endpoint, id string) (*T, error) {
	if form := upstream.ContractOf[T]().ID; !form.Valid(id) {
		return nil, e.invalidInput(upstream.Violation{Field: "id", Rule: form.Rule})
	}
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
	got, err := upstream.RawOf(record).ID()
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
