package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"pixgraph/upstream/wire"
)

// PageRequest asks for one page of a list. The names of the paging parameters are not shown (spec 4.5), so the zero value,
// which sends none, is the only request that every API understands.
type PageRequest struct {
	Number int // from 1; 0 leaves it to the API
	Size   int // records per page; 0 leaves it to the API
	// AnySize takes a later page of another size too. The caller works out from its PerPage where in the list it is.
	AnySize bool
	// Shallow says that nothing within the objects of a record is going to be read. What is read after all takes longer.
	Shallow bool
}

// Page is one page of a list (spec 4.1, 4.2). Its records are bytes until they are decoded.
type Page[T resource] struct {
	Total       int64 // records in all pages
	TotalPages  int64
	CurrentPage int64
	PerPage     int64
	Records     []Record[T]
}

// Record is one record of a page as the API sent it, indexed.
type Record[T resource] struct {
	service Service
	value   wire.Value
}

// Bytes returns the record's JSON. The caller must not change it.
func (r Record[T]) Bytes() []byte { return r.value.Bytes() }

// Decode reads the record. It fails when that is no JSON object; what is in the object is checked field by field.
func (r Record[T]) Decode() (*T, error) {
	o, err := r.object()
	if err != nil {
		return nil, err
	}
	return asResource[T](o), nil
}

func (r Record[T]) object() (object, error) {
	o, err := asObject(r.service, r.value)
	if err != nil {
		err = &Error{Op: "read a record", Service: r.service, Kind: KindInvalidResponse, Err: err}
	}
	return o, err
}

// list asks the core API for one page. Nothing is sent when the filter or the page cannot be asked for.
func list[T resource](
	ctx context.Context, s *Session, to *call, query url.Values, invalid []Violation, want PageRequest,
) (*Page[T], error) {
	if want.Number < 0 {
		invalid = append(invalid, Violation{"page", "must be 1 or more"})
	}
	if want.Size < 0 {
		invalid = append(invalid, Violation{"perPage", "must be 1 or more"})
	}
	if len(invalid) > 0 {
		return nil, invalidInput(to, invalid...)
	}
	if err := s.client.paging.add(query, want); err != nil {
		return nil, to.failed(KindPagingNotSupported, err)
	}
	s.begin()
	defer s.done()
	raw, own, err := s.get(ctx, to, to.service.url(query, to.path))
	if err != nil {
		var failed *Error
		if errors.As(err, &failed) && failed.Kind == KindNotFound {
			failed.Kind = KindInvalidResponse // a list is never not found (spec 4.1, 4.2): the base URL is another API's
		}
		return nil, err
	}
	index := wire.Index
	if want.Shallow {
		index = wire.IndexRecords
	}
	value, err := index(raw)
	if err != nil {
		return nil, to.failed(KindInvalidResponse, err)
	}
	if err := s.keep(raw, own, value); err != nil {
		return nil, to.failed(KindOverloaded, err)
	}
	page, err := decodePage[T](value)
	if err != nil {
		return nil, to.failed(KindInvalidResponse, err)
	}
	if err := page.answers(want); err != nil {
		return nil, to.failed(KindPagingNotSupported, err)
	}
	return page, nil
}

// paging holds the names of the API's paging parameters, empty where they are not known.
type paging struct{ pageParam, perPageParam string }

// NotConfiguredError says that a page cannot be asked for because names of the API's parameters are not configured.
type NotConfiguredError struct{ Settings []string }

// Error implements error.
func (e *NotConfiguredError) Error() string {
	return "the names of the API's paging parameters are not configured: " + strings.Join(e.Settings, ", ")
}

// add puts the page that is wanted into the query. Page 1 needs no parameter: it is what an API answers without one.
func (p paging) add(query url.Values, want PageRequest) error {
	var missing []string
	if p.pageParam == "" && want.Number > 1 {
		missing = append(missing, "paging_page_param")
	}
	if p.perPageParam == "" && want.Size > 0 {
		missing = append(missing, "paging_per_page_param")
	}
	if len(missing) > 0 {
		return &NotConfiguredError{missing}
	}
	if p.pageParam != "" && want.Number > 0 {
		query.Set(p.pageParam, strconv.Itoa(want.Number))
	}
	if want.Size > 0 {
		query.Set(p.perPageParam, strconv.Itoa(want.Size))
	}
	return nil
}

// PageSizeError says that the API answered a later page in another size than it was asked for, so that its records are not
// those of the page that was meant. A request with the size that the API uses can be answered.
type PageSizeError struct {
	Asked int
	Used  int64
}

// Error implements error.
func (e *PageSizeError) Error() string {
	return fmt.Sprintf("asked for %d records per page, the API answers %d", e.Asked, e.Used)
}

// answers checks that the page is the one that was asked for: an API that does not know the parameters answers its
// first page to every request, which must not pass as another. The first page is itself in any size: it says which.
func (p *Page[T]) answers(want PageRequest) error {
	if want.Number > 0 && p.CurrentPage != int64(want.Number) {
		return fmt.Errorf("asked for page %d, the API answered page %d", want.Number, p.CurrentPage)
	}
	if want.Size > 0 && int64(len(p.Records)) > p.PerPage {
		return fmt.Errorf("the API sent %d records on a page of %d", len(p.Records), p.PerPage)
	}
	if want.Size > 0 && want.Number > 1 && p.PerPage != int64(want.Size) && !want.AnySize {
		return &PageSizeError{want.Size, p.PerPage}
	}
	return nil
}

// decodePage reads the envelope of a list. All five members are always present (spec 4.1, 4.2): without one of them
// the answer is no page.
func decodePage[T resource](value wire.Value) (*Page[T], error) {
	envelope, err := asObject(Core, value)
	if err != nil {
		return nil, err
	}
	var page Page[T]
	for _, count := range []struct {
		name string
		into *int64
	}{
		{"total", &page.Total}, {"totalPages", &page.TotalPages},
		{"currentPage", &page.CurrentPage}, {"perPage", &page.PerPage},
	} {
		if *count.into, err = envelope.integer(count.name); err != nil {
			return nil, err
		}
		if *count.into < 0 {
			return nil, fmt.Errorf("%s is negative", count.name)
		}
	}
	elements, err := required(&envelope, "data", wire.Value.Elements)
	if err != nil {
		return nil, err
	}
	page.Records = make([]Record[T], 0, elements.Len())
	for elements.Next() {
		page.Records = append(page.Records, Record[T]{Core, elements.Value()})
	}
	return &page, nil
}
