package paging

import "hash/maphash"

// Reason says why pages that were read one after the other may not be the whole list. The schema has the same names.
type Reason string

// The reasons, of which the first that occurs counts. With the zero value, the pages are the whole list.
const (
	TotalChanged     Reason = "TOTAL_CHANGED"     // the list changed while it was read
	RecordRepeated   Reason = "RECORD_REPEATED"   // a record is on two pages, so that another one may be on none
	RecordUnreadable Reason = "RECORD_UNREADABLE" // a record breaks the contract in what is needed of it
	CountMismatch    Reason = "COUNT_MISMATCH"    // the pages have not as many records as the API counts
	PagingUnknown    Reason = "PAGING_UNKNOWN"    // the API's page numbers contradict each other or the request
	PageFailed       Reason = "PAGE_FAILED"       // a page could not be read
	PageLimit        Reason = "PAGE_LIMIT"        // the list has more pages than may be read
	GroupLimit       Reason = "GROUP_LIMIT"       // the records have more groups than may be held; only of sums
)

// Coverage follows the pages of one list, and says whether they are the whole list. The zero value remembers the ids of
// all records, 16 bytes each; with Window, those of that many records before a page.
type Coverage struct {
	Window int

	seed    maphash.Seed
	seen    map[uint64]struct{}
	order   []uint64 // of seen, the oldest first; only with Window
	total   int64
	records int64
	begun   bool
	reason  Reason
}

// Note notes a reason, unless there is one already.
func (c *Coverage) Note(reason Reason) {
	if c.reason == "" {
		c.reason = reason
	}
}

// Page notes the counts of a page.
func (c *Coverage) Page(total int64) {
	if c.begun && total != c.total {
		c.Note(TotalChanged)
	}
	c.begun, c.total = true, total
}

// Record notes the id of a record; an empty one is unreadable. It reports whether the record was not noted before.
func (c *Coverage) Record(id string) bool {
	c.records++
	if id == "" {
		c.Note(RecordUnreadable)
		return true
	}
	if c.seen == nil {
		c.seed, c.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	// Two ids have the same hash by chance once in 10^11 lists of 10,000 records. The list is then said to be
	// incomplete.
	hash := maphash.String(c.seed, id)
	if _, twice := c.seen[hash]; twice {
		c.Note(RecordRepeated)
		return false
	}
	c.seen[hash] = struct{}{}
	if c.Window == 0 {
		return true
	}
	if c.order = append(c.order, hash); len(c.order) > c.Window {
		delete(c.seen, c.order[0])
		c.order = c.order[1:]
	}
	return true
}

// Incomplete returns why the pages that were noted may not be the whole list; "" if they are.
func (c *Coverage) Incomplete() Reason {
	switch {
	case c.reason != "":
		return c.reason
	case !c.begun:
		return PageFailed
	case c.records != c.total:
		return CountMismatch
	default:
		return ""
	}
}
