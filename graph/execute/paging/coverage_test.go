package paging_test

import (
	"strconv"
	"testing"

	"pixgraph/graph/execute/paging"
)

// TestCoverage: pages are the whole list only if nothing contradicts it, and the first contradiction is the reason.
func TestCoverage(t *testing.T) {
	type page struct {
		total int64
		ids   []string
	}
	ids := func(from, until int) (list []string) {
		for i := from; i < until; i++ {
			list = append(list, strconv.Itoa(i))
		}
		return list
	}
	for name, tt := range map[string]struct {
		pages  []page
		window int
		want   paging.Reason
	}{
		"whole":              {[]page{{5, ids(0, 3)}, {5, ids(3, 5)}}, 0, ""},
		"empty":              {[]page{{0, nil}}, 0, ""},
		"no page":            {nil, 0, paging.PageFailed},
		"moved":              {[]page{{5, ids(0, 3)}, {6, ids(2, 5)}}, 0, paging.TotalChanged},
		"moved and repeated": {[]page{{5, ids(0, 3)}, {5, ids(2, 4)}}, 0, paging.RecordRepeated},
		"missing":            {[]page{{5, ids(0, 3)}, {5, ids(3, 4)}}, 0, paging.CountMismatch},
		"too many":           {[]page{{2, ids(0, 3)}}, 0, paging.CountMismatch},
		"without id":         {[]page{{2, []string{"0", ""}}}, 0, paging.RecordUnreadable},
		"near repetition":    {[]page{{5, ids(0, 3)}, {5, ids(2, 4)}}, 3, paging.RecordRepeated},
		"far repetition":     {[]page{{6, ids(0, 5)}, {6, ids(0, 1)}}, 3, ""},
	} {
		c := paging.Coverage{Window: tt.window}
		for _, page := range tt.pages {
			c.Page(page.total)
			for _, id := range page.ids {
				c.Record(id)
			}
		}
		if got := c.Incomplete(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	var c paging.Coverage
	c.Note(paging.PageLimit)
	c.Note(paging.PageFailed)
	if c.Incomplete() != paging.PageLimit {
		t.Error(c.Incomplete())
	}
}
