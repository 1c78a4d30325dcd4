package sandbox_test

import (
	"fmt"
	"testing"

	"pixgraph/upstream/sandbox/ledger"
)

// pages checks the sandbox's own paging, which spec 4.5 does not
// show: every record of a list is on exactly one of its pages.
func (c *conformance) pages(t *testing.T, address string, entries []*ledger.Entry) {
	t.Run("every record once", func(t *testing.T) {
		const perPage = 100
		seen := make(map[string]bool, len(entries))
		pages := (len(entries) + perPage - 1) / perPage
		for n := 1; n <= pages; n++ {
			p := c.page(t, fmt.Sprintf("%s?page=%d&perPage=%d", address, n, perPage))
			if p.CurrentPage != n || p.PerPage != perPage || p.Total != len(entries) || p.TotalPages != pages {
				t.Fatalf("page %d has currentPage %d, perPage %d, total %d, totalPages %d", n, p.CurrentPage, p.PerPage, p.Total, p.TotalPages)
			}
			for i, record := range p.Data {
				id := text(t, record, "id")
				if want := entries[(n-1)*perPage+i].ID; id != want {
					t.Fatalf("page %d, record %d is %s, want %s", n, i, id, want)
				}
				seen[id] = true
			}
		}
		if len(seen) != len(entries) {
			t.Errorf("%d records on all pages, want %d", len(seen), len(entries))
		}
	})
	t.Run("beyond the end", func(t *testing.T) {
		p := c.page(t, address+"?page=100000&perPage=100")
		if len(p.Data) != 0 || p.CurrentPage != 100000 || p.Total != len(entries) {
			t.Errorf("%d records, currentPage %d, total %d", len(p.Data), p.CurrentPage, p.Total)
		}
	})
	t.Run("no records", func(t *testing.T) {
		p := c.page(t, address+"?endDate=1999-01-01T00:00:00Z")
		if p.Data == nil || len(p.Data) != 0 || p.Total != 0 || p.TotalPages != 0 || p.CurrentPage != 1 {
			t.Errorf("%+v, want an empty array on page 1 of 0", p)
		}
	})
	t.Run("default size", func(t *testing.T) {
		if p := c.page(t, address); len(p.Data) != 20 || p.PerPage != 20 {
			t.Errorf("%d records, perPage %d, want 20", len(p.Data), p.PerPage)
		}
	})
	c.validations(t, address, []validation{
		{"page 0", "page=0", 422},
		{"page -1", "page=-1", 422},
		{"page empty", "page=", 422},
		{"page twice", "page=1&page=2", 422},
		{"page beyond 31 bits", "page=2147483648", 422},
		{"last page of 31 bits", "page=2147483647", 200},
		{"perPage 0", "perPage=0", 422},
		{"perPage 1", "perPage=1", 200},
		{"perPage 100", "perPage=100", 200},
		{"perPage 101", "perPage=101", 422},
	})
}
