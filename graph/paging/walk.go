package paging

import (
	"context"
	"errors"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// sizing says how the API sizes its pages, as far as its answers tell. A cursor must know it to find the record behind it.
type sizing struct {
	kind  sizingKind
	asked int // the size that the API was asked for, on which its page numbers may depend; 0 for none, and for sizeAsked
}

// sizingKind is also the version of a cursor: those made before there were others are of sizeAsked.
type sizingKind byte

const (
	sizeAsked  sizingKind = iota + 1 // the size that it is asked for
	sizeOwn                          // another one, the same for all pages: a cap, or a size that cannot be chosen
	sizeVaries                       // pages of different sizes, each behind the one before it
)

// sizingOf is what an answer tells, at the end of what is known already. Where all pages have one size, it agrees with the
// counts of records and pages.
func sizingOf[T Record](page *upstream.Page[T], asked int, known sizingKind) sizing {
	kind := sizeAsked
	switch {
	case !uniform(page):
		kind = sizeVaries
	case asked > 0 && page.PerPage != int64(asked):
		kind = sizeOwn
	}
	if kind = max(kind, known); kind == sizeAsked {
		return sizing{kind: kind}
	}
	return sizing{kind, asked}
}

// uniform reports whether all pages may have the size of this one.
func uniform[T Record](page *upstream.Page[T]) bool {
	return page.PerPage > 0 && pagesOf(page.Total, page.PerPage) == page.TotalPages
}

// pagesOf is how many pages of one size so many records fill.
func pagesOf(total, size int64) int64 {
	pages := total / size
	if total%size > 0 {
		pages++
	}
	return pages
}

// behind is the page that holds the record behind the place, as the API numbered them.
func (p place) behind() int {
	if p.last() {
		return p.page + 1
	}
	return p.page
}

// last reports whether it is the last place on its page.
func (p place) last() bool { return p.index+1 == p.size }

// numbered reports whether the API numbers its pages as before when it is asked for that size.
func (p place) numbered(asked int) bool {
	if p.sizing.kind == sizeAsked {
		return asked == p.size
	}
	return asked == p.sizing.asked
}

// locate finds the record behind the place on a page that was asked for with that size: how many records to skip. It is
// false where the record is on another page, and where that cannot be told: the API has changed the size of its pages.
func locate[T Record](p place, page *upstream.Page[T], asked int) (skip int, ok bool) {
	if page.PerPage == 0 {
		return 0, true // there are no records on it
	}
	if page.PerPage > maxPage {
		return 0, false
	}
	number, size := int(page.CurrentPage), int(page.PerPage)
	offset := p.next() - (number-1)*size // from where the page begins, if those before it have its size
	switch {
	case p.numbered(asked) && size == p.size, number == 1 && p.page == 1:
	case p.numbered(asked) && p.sizing.kind != sizeVaries && size < p.size && lastOf(page, p.size):
		offset = p.next() - (number-1)*p.size
	case p.numbered(asked) && number == p.page+1 && p.last() && (p.sizing.kind == sizeVaries || !uniform(page)):
		offset = 0
	case !countable(p, page, asked):
		return 0, false
	}
	return offset, offset >= 0 && offset < size
}

// lastOf reports whether the page is the last one of those with a size, and gives its number of records as its size.
func lastOf[T Record](page *upstream.Page[T], size int) bool {
	return page.CurrentPage == page.TotalPages && (page.CurrentPage-1)*int64(size)+page.PerPage == page.Total
}

// countable reports whether a page of another size tells the offset of its first record. It does not where the size is
// another one for the same request, and there are as many pages: it may have changed, or differ from page to page.
func countable[T Record](p place, page *upstream.Page[T], asked int) bool {
	return p.sizing.kind != sizeVaries && uniform(page) && (!p.numbered(asked) || pagesOf(page.Total, int64(p.size)) != page.TotalPages)
}

// again is what to ask for when the record behind the place was not found on a page that was asked for with that size, and
// the place as the API numbers the pages then: by the size of that page, or as before. It is false when that was asked for
// already.
func again[T Record](p place, page *upstream.Page[T], asked int) (place, client.PageRequest, bool) {
	switch {
	case countable(p, page, asked) && page.PerPage <= maxPage:
		offset, size := p.next()-1, int(page.PerPage)
		p = place{offset/size + 1, offset % size, size, sizing{sizeOwn, asked}}
	case p.sizing.kind == sizeAsked && !p.numbered(asked):
		asked = min(p.size, MaxSize)
		p.sizing = sizing{sizeVaries, asked}
	default:
		return place{}, client.PageRequest{}, false
	}
	return p, client.PageRequest{Number: p.behind(), Size: asked, AnySize: true}, p.behind() <= maxPage
}

var (
	errSize  = errors.New("the API changes the size of its pages: begin at the first page")
	errEmpty = errors.New("the API answered no records, and says that there are more")
)

func unsupported(err error) error {
	return &upstream.Error{Op: "page", Service: upstream.Core, Kind: upstream.KindPagingNotSupported, Err: err}
}

// read fetches the records of a window: one page, or two behind a cursor, which is what graph/limits charges. Where the
// API's pages are smaller than the window, the window ends with the last of them.
func (c *Connection[T]) read(ctx context.Context, w window, fetch Lister[T]) error {
	request := w.request
	page, err := fetch(ctx, request)
	if err != nil {
		return err
	}
	if w.after == nil {
		c.begin(page, 0, sizingOf(page, request.Size, sizeAsked))
		return c.cut(w.limit)
	}
	after, known := *w.after, w.after.sizing.kind
	skip, ok := locate(after, page, request.Size)
	calls := 1
	if !ok {
		known = sizingOf(page, request.Size, known).kind
		if after, request, ok = again(after, page, request.Size); !ok {
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
	return c.cut(w.limit)
}

// next adds the page behind the one that the connection begins in, if it begins where that one ends.
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

// cut ends a window at its limit. One without records that is not the end of the list would be taken for it.
func (c *Connection[T]) cut(limit int) error {
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
