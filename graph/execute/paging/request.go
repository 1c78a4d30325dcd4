package paging

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"pixgraph/graph/apierror"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// MaxSize is the largest page size that a client may request. The API's own limit is not documented (spec 8).
const MaxSize = 100

// Arguments are the paging arguments of a list field; nil if absent.
type Arguments struct {
	Page, PerPage *int32  // paging by page number
	First         *int32  // paging by cursor
	After         *string // a cursor of this package
}

func (a Arguments) check() error {
	if (a.Page != nil || a.PerPage != nil) && (a.First != nil || a.After != nil) {
		return apierror.Input("page and perPage", "cannot be combined with first and after")
	}
	for _, bound := range []struct {
		name  string
		value *int32
		max   int32
	}{{"page", a.Page, maxPage}, {"perPage", a.PerPage, MaxSize}, {"first", a.First, MaxSize}} {
		if bound.value != nil && (*bound.value < 1 || *bound.value > bound.max) {
			return apierror.Input(bound.name, fmt.Sprintf("must be 1 to %d", bound.max))
		}
	}
	return nil
}

// window is the requested part of a list.
type window struct {
	request client.PageRequest // the first page to fetch
	after   *place             // the place before the window; nil for a window at the start of the page
	limit   int                // the largest number of records; 0 for the whole page
}

// window computes the page to fetch for the arguments. A cursor leads to an offset, which need not be the start of a
// page of the requested size. If the API did not honor the requested size before, window requests the same size as
// before, so that the pages keep their numbers.
func (a Arguments) window(filter digest) (window, error) {
	if err := a.check(); err != nil {
		return window{}, err
	}
	if a.After == nil {
		size := valueOf(a.PerPage, valueOf(a.First, 0))
		return window{request: client.PageRequest{Number: valueOf(a.Page, 0), Size: size}, limit: valueOf(a.First, 0)}, nil
	}
	after, ok := decodeCursor(*a.After)
	if !ok {
		return window{}, apierror.Input("after", "is not a valid cursor")
	}
	if after.filter != filter {
		return window{}, apierror.Input("after", "is a cursor of another list or filter")
	}
	limit := min(valueOf(a.First, after.place.size), MaxSize)
	number, size := after.place.nextPage(), after.place.sizing.requested
	if after.place.sizing.kind == sizeRequested {
		number, size = after.place.next()/limit+1, limit
	}
	if number > maxPage {
		return window{}, apierror.Input("after", "is not a valid cursor")
	}
	return window{client.PageRequest{Number: number, Size: size, AnySize: true}, &after.place, limit}, nil
}

func valueOf(pointer *int32, fallback int) int {
	if pointer == nil {
		return fallback
	}
	return int(*pointer)
}

// Filter restricts a list.
type Filter interface {
	Violations() []upstream.Violation // the rules that the filter violates
	Query() url.Values                // the filter as parameters of the API
}

// CheckFilter returns the error for the first rule that a filter violates, or nil.
func CheckFilter(filter Filter) error {
	if broken := filter.Violations(); len(broken) > 0 {
		return apierror.Input("filter."+broken[0].Field, broken[0].Rule)
	}
	return nil
}

// RefusesSize reports whether a page may be fetched without a size: its size is one that the API does not accept, or
// the name of that parameter is not configured. called says whether a call was made.
func RefusesSize(err error) (called, refused bool) {
	var (
		unnamed *client.NotConfiguredError
		failed  *upstream.Error
	)
	if errors.As(err, &unnamed) {
		return false, true
	}
	return true, errors.As(err, &failed) && failed.Status == http.StatusUnprocessableEntity
}

// Lister fetches one page of a filtered list.
type Lister[T Record] func(context.Context, client.PageRequest) (*upstream.Page[T], error)

// First returns the page that Fetch fetches first.
func First(filter Filter, arguments Arguments) (client.PageRequest, error) {
	if err := CheckFilter(filter); err != nil {
		return client.PageRequest{}, err
	}
	w, err := arguments.window(digest{})
	return w.request, err
}

// Fetch resolves a list field: it fetches the requested pages and returns them as a connection. Cursors include a
// digest of the list's name and filter. Nothing is fetched if the filter or the arguments are invalid.
func Fetch[T Record](
	ctx context.Context, list string, filter Filter, arguments Arguments, fetch Lister[T],
) (*Connection[T], error) {
	if err := CheckFilter(filter); err != nil {
		return nil, err
	}
	filtered := digestOf(list, filter.Query())
	w, err := arguments.window(filtered)
	if err != nil {
		return nil, err
	}
	connection := &Connection[T]{filter: filtered}
	if err := connection.read(ctx, w, fetch); err != nil {
		return nil, err
	}
	return connection, nil
}
