package client

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"pixgraph/upstream"
)

// PageRequest selects one page of a list. The spec does not show the names of the paging parameters (spec 4.5), so only
// the zero value, which sends none, works without configuration.
type PageRequest struct {
	Number int // from 1; 0 sends no page number
	Size   int // records per page; 0 sends no page size
	// AnySize also accepts a later page of another size. The caller computes the position in the list from its PerPage.
	AnySize bool
	// Shallow says that the caller will not read within the objects of a record. Such reads still work, but are slower.
	Shallow bool
}

// NotConfiguredError says that a page cannot be requested because the names of the API's parameters are not configured.
type NotConfiguredError struct{ Settings []string }

// Error implements error.
func (e *NotConfiguredError) Error() string {
	return "the names of the API's paging parameters are not configured: " + strings.Join(e.Settings, ", ")
}

// addPage adds the parameters of a page to the query. Page 1 is the default of an API, so it is requested without its
// parameter. If an API counts pages from 0, checkPage then sees that. Asked for page 1, it would return its second one.
func (c *Client) addPage(query url.Values, want PageRequest) error {
	var missing []string
	if c.config.PageParam == "" && want.Number > 1 {
		missing = append(missing, "paging_page_param")
	}
	if c.config.PerPageParam == "" && want.Size > 0 {
		missing = append(missing, "paging_per_page_param")
	}
	if len(missing) > 0 {
		return &NotConfiguredError{missing}
	}
	if c.config.PageParam != "" && want.Number > 1 {
		query.Set(c.config.PageParam, strconv.Itoa(want.Number))
	}
	if want.Size > 0 {
		query.Set(c.config.PerPageParam, strconv.Itoa(want.Size))
	}
	return nil
}

// PageSizeError says that the API returned a later page with another page size than requested, so that its records are
// not those of the requested page. A request with the page size of the API can succeed.
type PageSizeError struct {
	Requested int
	Used      int64 // by the API
}

// Error implements error.
func (e *PageSizeError) Error() string {
	return fmt.Sprintf("requested %d records per page, the API returned %d", e.Requested, e.Used)
}

// checkPage checks that the page is the requested one. An API that does not know the paging parameters returns its
// first page to every request, which must not pass as another page. The first page is accepted with any page size.
func checkPage[T upstream.Resource](p *upstream.Page[T], want PageRequest) error {
	if want.Number > 0 && p.CurrentPage != int64(want.Number) {
		return fmt.Errorf("requested page %d, the API returned page %d", want.Number, p.CurrentPage)
	}
	if want.Size > 0 && int64(len(p.Records)) > p.PerPage {
		return fmt.Errorf("the API returned %d records on a page of %d", len(p.Records), p.PerPage)
	}
	if want.Size > 0 && want.Number > 1 && p.PerPage != int64(want.Size) && !want.AnySize {
		return &PageSizeError{want.Size, p.PerPage}
	}
	return nil
}
