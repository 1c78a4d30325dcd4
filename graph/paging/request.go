package paging

import (
	"context"
	"fmt"
	"net/url"

	"pixgraph/graph/apierror"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// MaxSize is the most records that one page can be asked to have. The API's own limit is not shown (spec 8).
const MaxSize = 100

// Arguments are the paging arguments of a list field, nil where they were not given.
type Arguments struct {
	Page, PerPage *int32  // for tables
	First         *int32  // for infinite scroll
	After         *string // a cursor of ours
}

func (a Arguments) check() error {
	if (a.Page != nil || a.PerPage != nil) && (a.First != nil || a.After != nil) {
		return apierror.Input("page and perPage", "cannot be combined with first and after: page by one or the other")
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

// window is the part of a list that is asked for.
type window struct {
	request client.PageRequest // the first page that is fetched for it
	after   *place             // what it begins behind; nil for the beginning of that page
	limit   int                // how many records to answer at most; 0 for those of the page
}

// window works out which page holds what the arguments ask for. A cursor leads to an offset, which need not be where a
// page of the wanted size begins. An API that does not answer the wanted size is asked as before, so that its pages keep
// their numbers.
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
		return window{}, apierror.Input("after", "must be a cursor of this API")
	}
	if after.filter != filter {
		return window{}, apierror.Input("after", "is a cursor of another list or filter; use it with the filter it came with")
	}
	limit := min(valueOf(a.First, after.place.size), MaxSize)
	number, size := after.place.behind(), after.place.sizing.asked
	if after.place.sizing.kind == sizeAsked {
		number, size = after.place.next()/limit+1, limit
	}
	if number > maxPage {
		return window{}, apierror.Input("after", "must be a cursor of this API")
	}
	return window{client.PageRequest{Number: number, Size: size, AnySize: true}, &after.place, limit}, nil
}

func valueOf(pointer *int32, fallback int) int {
	if pointer == nil {
		return fallback
	}
	return int(*pointer)
}

// Filter narrows a list.
type Filter interface {
	Violations() []upstream.Violation // what the filter breaks of its rules
	Query() url.Values                // the filter as the API's parameters
}

// Lister fetches one page of a filtered list.
type Lister[T Record] func(context.Context, client.PageRequest) (*upstream.Page[T], error)

// Fetch answers a list field: the pages that the arguments ask for, as a connection. The name of the list and its filter
// go into the cursors. Nothing is fetched when the filter or the arguments break their rules.
func Fetch[T Record](
	ctx context.Context, list string, filter Filter, arguments Arguments, fetch Lister[T],
) (*Connection[T], error) {
	if broken := filter.Violations(); len(broken) > 0 {
		return nil, apierror.Input("filter."+broken[0].Field, broken[0].Rule)
	}
	filtered := digestOf(list, filter.Query())
	w, err := arguments.window(filtered)
	if err != nil {
		return nil, err
	}
	answer := &Connection[T]{filter: filtered}
	if err := answer.read(ctx, w, fetch); err != nil {
		return nil, err
	}
	return answer, nil
}
