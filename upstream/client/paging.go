package client

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"pixgraph/upstream"
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

// checkPage checks that the page is the one that was asked for: an API that does not know the parameters answers its
// first page to every request, which must not pass as another. The first page is itself in any size: it says which.
func checkPage[T upstream.Resource](p *upstream.Page[T], want PageRequest) error {
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
