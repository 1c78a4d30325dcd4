package paging_test

import (
	"strconv"
	"testing"

	"pixgraph/graph/execute/paging"
	"pixgraph/upstream"
)

func text(id string) upstream.Text { return upstream.Text(strconv.Quote(id)) }

// TestCoverage: pages are the whole list only if nothing contradicts it, and the first contradiction is the reason.
func TestCoverage(t *testing.T) {
	type page struct {
		total int64
		ids   []string
		pages int64 // 0 if it is not counted
	}
	ids := func(from, until int) (list []string) {
		for i := from; i < until; i++ {
			list = append(list, strconv.Itoa(i))
		}
		return list
	}
	for name, tt := range map[string]struct {
		pages []page
		want  paging.Reason
	}{
		"whole":              {[]page{{5, ids(0, 3), 0}, {5, ids(3, 5), 0}}, ""},
		"empty":              {[]page{{0, nil, 0}}, ""},
		"one empty page":     {[]page{{0, nil, 1}}, ""},
		"empty pages":        {[]page{{0, nil, 2}}, paging.CountMismatch},
		"no page":            {nil, paging.PageFailed},
		"moved":              {[]page{{5, ids(0, 3), 0}, {6, ids(2, 5), 0}}, paging.TotalChanged},
		"moved and repeated": {[]page{{5, ids(0, 3), 0}, {5, ids(2, 4), 0}}, paging.RecordRepeated},
		"missing":            {[]page{{5, ids(0, 3), 0}, {5, ids(3, 4), 0}}, paging.CountMismatch},
		"too many":           {[]page{{2, ids(0, 3), 0}}, paging.CountMismatch},
		"without id":         {[]page{{2, []string{"0", ""}, 0}}, paging.RecordUnreadable},
		"a page repeated":    {[]page{{6, ids(0, 3), 0}, {6, ids(0, 3), 0}}, paging.RecordRepeated},
	} {
		var c paging.Coverage
		for _, page := range tt.pages {
			c.Page(page.total, page.pages, 0)
			for _, id := range page.ids {
				c.Record(text(id), nil)
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

// TestCoverageOfMany: of 400,000 records, a page that occurs again is noticed wherever it was, and so is one of which
// half occurs again. The memory is a few MiB, half of what all records would take.
func TestCoverageOfMany(t *testing.T) {
	const total, size = 400_000, 100
	add := func(c *paging.Coverage, from, until int) {
		c.Page(total, total/size, 0)
		for i := from; i < until; i++ {
			c.Record(text(strconv.Itoa(i)), nil)
		}
	}
	var read paging.Coverage
	for from := 0; from < total-size; from += size {
		add(&read, from, from+size)
	}
	_ = read.Incomplete() // ends the page, so that the copies begin with it in their common memory
	for _, tt := range []struct {
		name string
		last int // the first record of the last page
	}{
		{"the first page", 0}, {"a page of the middle", 200_000}, {"half of a page", 100_050}, {"none", total - size},
	} {
		c := read
		add(&c, tt.last, tt.last+size)
		if got := c.Incomplete(); (got == paging.RecordRepeated) != (tt.name != "none") {
			t.Errorf("%s: %q", tt.name, got)
		}
		if bytes := c.Bytes(); bytes > 4<<20 {
			t.Errorf("%s: %d bytes", tt.name, bytes)
		}
	}
}
