package paging

import (
	"context"
	"errors"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// sizing describes how the API sizes its pages, as observed so far. A cursor includes it, because finding the next
// record depends on it.
type sizing struct {
	kind      sizingKind
	requested int // the requested size, on which page numbers may depend; 0 for none, and for sizeRequested
}

// sizingKind is the relation of the size of pages to the requested size. Its values are part of cursors.
type sizingKind byte

const (
	sizeRequested sizingKind = iota + 1 // all pages have the requested size
	sizeOther                           // all pages have another size: a maximum, or a fixed size
	sizeVaries                          // pages have different sizes, and each begins where the previous one ends
)

// sizingOf derives the sizing from a page and from earlier pages (known). If all pages have the same size, that size
// agrees with the counts of records and pages.
func sizingOf[T Record](page *upstream.Page[T], requested int, known sizingKind) sizing {
	kind := sizeRequested
	switch {
	case !uniform(page):
		kind = sizeVaries
	case requested > 0 && page.PerPage != int64(requested):
		kind = sizeOther
	}
	if kind = max(kind, known); kind == sizeRequested {
		return sizing{kind: kind}
	}
	return sizing{kind, requested}
}

// uniform reports whether all pages can have the size of this one, which is unknown without the counts, or if the page
// alone has more records than the list.
func uniform[T Record](page *upstream.Page[T]) bool {
	return page.PerPage > 0 && int64(len(page.Records)) <= page.Total && pagesOf(page.Total, page.PerPage) == page.TotalPages
}

// Pages returns the number of pages of a list, or 0 if the counts of its first page do not agree.
func Pages[T Record](first *upstream.Page[T]) int64 {
	if !uniform(first) {
		return 0
	}
	return first.TotalPages
}

// Follows reports whether a reader of a whole list reads the page after this one: sums and files have the same records.
// seen is the number of records until there, and pages that of Pages for the first page. A page without records is the
// end of the list, whatever its counts are.
func Follows[T Record](page *upstream.Page[T], seen, pages int64) bool {
	switch {
	case len(page.Records) == 0:
		return false
	case pages > 0:
		return page.CurrentPage < pages
	default:
		return page.CurrentPage < page.TotalPages || seen < page.Total || mayContinue(page)
	}
}

// mayContinue reports whether a list may continue after a page though no count says so: it may if the page is full, and
// both counts are missing or too low for it, such as the 0 of an API that does not count.
func mayContinue[T Record](page *upstream.Page[T]) bool {
	return page.PerPage > 0 && int64(len(page.Records)) >= page.PerPage &&
		page.TotalPages < page.CurrentPage && page.Total/page.PerPage < max(page.CurrentPage, 1)
}

// pagesOf returns the number of pages of the given size that the records fill.
func pagesOf(total, size int64) int64 {
	pages := total / size
	if total%size > 0 {
		pages++
	}
	return pages
}

// nextPage returns the number of the page with the next record, in the numbering of the place.
func (p place) nextPage() int {
	if p.last() {
		return p.page + 1
	}
	return p.page
}

// last reports whether the place is the last one of its page.
func (p place) last() bool { return p.index+1 == p.size }

// sameNumbering reports whether the API numbers its pages as in the place when a page of the given size is requested.
func (p place) sameNumbering(requested int) bool {
	if p.sizing.kind == sizeRequested {
		return requested == p.size
	}
	return requested == p.sizing.requested
}

// locate returns the number of records to skip on a page to reach the record after the place. requested is the size
// with which the page was requested. It returns false if the record is on another page, or if that is unknown because
// the API has changed its page size.
func locate[T Record](p place, page *upstream.Page[T], requested int) (skip int, ok bool) {
	if page.PerPage == 0 {
		return 0, true // the page is empty
	}
	if page.PerPage > maxPage {
		return 0, false
	}
	number, size := int(page.CurrentPage), int(page.PerPage)
	offset := p.next() - (number-1)*size // relative to the start of the page, if the pages before it have its size
	switch {
	case p.sameNumbering(requested) && size == p.size, number == 1 && p.page == 1:
	case p.sameNumbering(requested) && p.sizing.kind != sizeVaries && size < p.size && lastOf(page, p.size):
		offset = p.next() - (number-1)*p.size
	case p.sameNumbering(requested) && number == p.page+1 && p.last() && (p.sizing.kind == sizeVaries || !uniform(page)):
		offset = 0
	case !countable(p, page, requested):
		return 0, false
	}
	return offset, offset >= 0 && offset < size
}

// lastOf reports whether the page is the last one of pages with the given size, so that its size is its number of
// records.
func lastOf[T Record](page *upstream.Page[T], size int) bool {
	return page.CurrentPage == page.TotalPages && (page.CurrentPage-1)*int64(size)+page.PerPage == page.Total
}

// countable reports whether the offset of a page's first record follows from its number and size. It does not if the
// size differs for the same request while the number of pages is the same: then the size may have changed, or may vary
// from page to page.
func countable[T Record](p place, page *upstream.Page[T], requested int) bool {
	return p.sizing.kind != sizeVaries && uniform(page) && (!p.sameNumbering(requested) || pagesOf(page.Total, int64(p.size)) != page.TotalPages)
}

// retry returns the second request to send if locate failed on a page, and the place in the numbering of that request:
// by the size of that page, or by the earlier size. It returns false if there is no further request to try.
func retry[T Record](p place, page *upstream.Page[T], requested int) (place, client.PageRequest, bool) {
	switch {
	case countable(p, page, requested) && page.PerPage <= maxPage:
		offset, size := p.next()-1, int(page.PerPage)
		p = place{offset/size + 1, offset % size, size, sizing{sizeOther, requested}}
	case p.sizing.kind == sizeRequested && !p.sameNumbering(requested):
		requested = min(p.size, MaxSize)
		p.sizing = sizing{sizeVaries, requested}
	default:
		return place{}, client.PageRequest{}, false
	}
	return p, client.PageRequest{Number: p.nextPage(), Size: requested, AnySize: true}, p.nextPage() <= maxPage
}

var (
	errSize  = errors.New("the API changes the size of its pages: begin at the first page")
	errEmpty = errors.New("the API returned no records, but reports that there are more")
)

func unsupported(err error) error {
	return &upstream.Error{Op: "page", Service: upstream.Core, Kind: upstream.KindPagingNotSupported, Err: err}
}

// read fetches the records of a window: one page, or up to two after a cursor, which is their cost. If the API's pages
// are smaller than the window, the window ends with the last fetched page.
func (c *Connection[T]) read(ctx context.Context, w window, fetch Lister[T]) error {
	request := w.request
	page, err := fetch(ctx, request)
	if err != nil {
		return err
	}
	if w.after == nil {
		c.begin(page, 0, sizingOf(page, request.Size, sizeRequested))
		return c.truncate(w.limit)
	}
	after, known := *w.after, w.after.sizing.kind
	skip, ok := locate(after, page, request.Size)
	calls := 1
	if !ok {
		known = sizingOf(page, request.Size, known).kind
		if after, request, ok = retry(after, page, request.Size); !ok {
			return unsupported(errSize)
		}
		if page, err = fetch(ctx, request); err != nil {
			return err
		}
		if skip, ok = locate(after, page, request.Size); !ok {
			return unsupported(errSize)
		}
		calls = 2
	}
	c.begin(page, skip, sizingOf(page, request.Size, known))
	short := skip > 0 || page.PerPage < int64(w.limit) || len(c.records) == 0
	if calls == 1 && c.more && short && len(c.records) < w.limit && page.PerPage > 0 {
		if err := c.next(ctx, request, sizingOf(page, request.Size, known), fetch); err != nil {
			return err
		}
	}
	return c.truncate(w.limit)
}

// next adds the page after the first one, if it begins where the first one ends.
func (c *Connection[T]) next(ctx context.Context, request client.PageRequest, sized sizing, fetch Lister[T]) error {
	end := place{request.Number, int(c.page.PerPage) - 1, int(c.page.PerPage), sized}
	request.Number++
	page, err := fetch(ctx, request)
	if err != nil {
		return err
	}
	if skip, ok := locate(end, page, request.Size); ok {
		c.add(page, skip, sizingOf(page, request.Size, sized.kind))
	}
	return nil
}

// truncate truncates a window to its limit. An empty window that is not the end of the list is an error, since a client
// would mistake it for the end.
func (c *Connection[T]) truncate(limit int) error {
	if limit == 0 {
		return nil
	}
	if len(c.records) > limit {
		c.records, c.more = c.records[:limit], true
	}
	if len(c.records) == 0 && c.more {
		return unsupported(errEmpty)
	}
	return nil
}
