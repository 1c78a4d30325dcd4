package sandbox

import (
	"fmt"
	"net/http"

	"pixgraph/sandbox/ledger"
)

// list handles a list endpoint: it filters the records, newest first, by the
// parameters of the operation. Only the records of the page are rendered.
func (s *Sandbox) list(r *http.Request, o *operation) answer {
	q, broken := readQuery(r.URL.RawQuery, o.query, s.cfg.StrictQuery)
	if len(broken) > 0 {
		return problemAnswer(http.StatusUnprocessableEntity, "validation failed", broken...)
	}
	found := q.selected(s.ledger, o.kind)
	page := q.number(s.cfg.PageParam, 1)
	perPage := min(q.number(s.cfg.PerPageParam, s.cfg.DefaultPerPage), s.cfg.MaxPerPage)
	if s.cfg.IgnorePerPage {
		perPage = s.cfg.DefaultPerPage
	}
	total := found.Len()
	from := min((page-1)*perPage, total)
	entries := make([]*ledger.Entry, min(perPage, total-from))
	for i := range entries {
		at := from + i
		if s.cfg.OldestFirst {
			at = total - 1 - at
		}
		entries[i] = found.At(at)
	}
	return jsonAnswer(http.StatusOK, pageBody(total, page, perPage, entries))
}

// pageBody is the envelope of spec 4.1 and 4.2 with the unchanged records in it.
func pageBody(total, page, perPage int, entries []*ledger.Entry) []byte {
	size := 128 // of the envelope
	for _, e := range entries {
		size += len(e.JSON()) + 1
	}
	body := fmt.Appendf(make([]byte, 0, size), `{"total":%d,"totalPages":%d,"currentPage":%d,"perPage":%d,"data":[`,
		total, (total+perPage-1)/perPage, page, perPage)
	for i, e := range entries {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, e.JSON()...)
	}
	return append(body, "]}"...)
}
