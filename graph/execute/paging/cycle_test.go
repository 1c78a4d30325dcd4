package paging

import (
	"math"
	"strconv"
	"testing"

	"pixgraph/upstream"
)

// TestCycles: an uncounted list whose pages repeat ends, also if no id of them is kept.
func TestCycles(t *testing.T) {
	for _, omitted := range []uint64{0, 1, 31, math.MaxUint64} {
		for _, before := range []int{0, 1, 5, 100} {
			for _, cycle := range []int{1, 2, 7, 60} {
				c, pages := Coverage{omitted: omitted}, 0
				for ended := false; !ended && pages < 1000; pages++ {
					page := pages
					if pages >= before {
						page = before + (pages-before)%cycle
					}
					c.Page(upstream.Uncounted, upstream.Uncounted, 0)
					for i := range 3 {
						c.Record(upstream.Text(strconv.Quote(strconv.Itoa(3*page+i))), nil)
					}
					ended = c.Repeats()
				}
				whole := before + cycle
				if most := 4 * (whole + 1); pages <= whole || pages > most || omitted == 0 && pages != whole+1 {
					t.Errorf("%x: %d pages and a cycle of %d end after %d", omitted, before, cycle, pages)
				}
				if reason := c.Incomplete(); reason != RecordRepeated {
					t.Errorf("%x: %d pages and a cycle of %d: %q", omitted, before, cycle, reason)
				}
			}
		}
	}
}
