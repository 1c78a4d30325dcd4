package paging

import (
	"hash/maphash"
	"maps"

	"pixgraph/upstream"
)

// Reason says why pages that were read one after the other may not be the whole list. The schema has the same names.
type Reason string

// The reasons, of which the first that occurs counts, or that of an early end. With the zero value, the pages are the
// whole list.
const (
	TotalChanged     Reason = "TOTAL_CHANGED"     // the list changed while it was read
	RecordRepeated   Reason = "RECORD_REPEATED"   // a record is on two pages, so that another one may be on none
	RecordUnreadable Reason = "RECORD_UNREADABLE" // a record breaks the contract in what is needed of it
	CountMismatch    Reason = "COUNT_MISMATCH"    // the pages have not as many records as the API counts, or it counts pages of no records
	CountUnknown     Reason = "COUNT_UNKNOWN"     // the API does not count the records
	PagingUnknown    Reason = "PAGING_UNKNOWN"    // the API's page numbers contradict each other or the request
	PageFailed       Reason = "PAGE_FAILED"       // a page could not be read
	PageLimit        Reason = "PAGE_LIMIT"        // the list has more pages than may be read
	GroupLimit       Reason = "GROUP_LIMIT"       // the records have more groups than may be held; only of sums
)

// Coverage follows the pages of one list, and reports whether they are the whole list. It detects every repetition of a
// record while it has exactRecords ids; then it keeps half of them, those of a longer list a quarter, and so on. So its
// memory is a few MiB for any number of records, and 24 bytes for pages: one is repeated if its ids are. In lists of
// millions, some pages have no id that is kept. APIs that repeat pages repeat the last one for ever or return to an
// earlier one: a page is compared with the one before, and with the last whose number is a power of two, which finds
// every cycle (Brent's algorithm).
type Coverage struct {
	seed    maphash.Seed
	seen    map[uint64]struct{} // ids, by their hashes
	omitted uint64              // the bits that are 0 in each of these hashes
	page    uint64              // the sum of the hashes of the current page
	ids     int                 // of the current page, that are or were kept
	run     int                 // such ids since the last one that was not seen before
	last    uint64              // the sum of the page before
	power   uint64              // that of the last page whose number is a power of two
	pages   int
	again   int // the pages before the current one, in a row, whose records were on an earlier page
	total   int64
	records int64
	begun   bool
	reason  Reason
}

const (
	exactRecords = 1 << 17
	// seenBytes is the memory of a hash in a map, which is half empty after it grew.
	seenBytes = 20
	// runOfCycle is how many ids in a row were seen before if a page is repeated of which not all ids are kept. A
	// record that is added moves one of a page.
	runOfCycle = 8
)

// Bytes returns the memory of the coverage.
func (c *Coverage) Bytes() int { return seenBytes * len(c.seen) }

// Total returns how many records the API counts, without those before the first page; upstream.Uncounted if it does
// not.
func (c *Coverage) Total() int64 { return c.total }

// Note notes a reason, unless there is one already.
func (c *Coverage) Note(reason Reason) {
	if c.reason == "" {
		c.reason = reason
	}
}

// Page notes the counts of a page, before its records: those of the list's records and pages, and of the records before
// the first page that is read.
func (c *Coverage) Page(total, pages, skipped int64) {
	if total == 0 && pages > 1 { // some APIs count one page of no records
		c.Note(CountMismatch)
	}
	if total != upstream.Uncounted {
		total = max(0, total-skipped)
	}
	if c.begun && total != c.total {
		c.Note(TotalChanged)
	}
	if c.seen == nil {
		c.seed, c.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	c.endPage()
	c.begun, c.total = true, total
}

// endPage notes the records of a page together.
func (c *Coverage) endPage() {
	if c.page == 0 {
		return
	}
	switch {
	case c.repeated():
		c.Note(RecordRepeated)
		c.again++
	case c.run < c.ids:
		c.again = 0
	}
	if c.pages++; c.pages&(c.pages-1) == 0 {
		c.power = c.page
	}
	c.last, c.page, c.ids = c.page, 0, 0
}

// repeated reports whether the records of the current page were on earlier pages.
func (c *Coverage) repeated() bool {
	if c.page == 0 {
		return false
	}
	known := c.ids > 0 && c.run >= c.ids && (c.omitted == 0 || c.run >= runOfCycle)
	return known || c.page == c.last || c.page == c.power
}

// Record notes a record of the page by its id, or by its bytes if the id is unreadable and so empty. It reports whether
// the id was not noted before.
func (c *Coverage) Record(id upstream.Text, raw []byte) bool {
	c.records++
	text := id.Decoded()
	if len(text) == 0 {
		c.Note(RecordUnreadable)
		c.page += maphash.Bytes(c.seed, raw)
		return true
	}
	// Two ids have the same hash by chance once in 10^11 lists of 10,000 records. The list is then said to be
	// incomplete.
	hash := maphash.Bytes(c.seed, text)
	c.page += hash
	if hash&c.omitted != 0 {
		return true
	}
	c.ids++
	if _, twice := c.seen[hash]; twice {
		c.Note(RecordRepeated)
		c.run++
		return false
	}
	c.run = 0
	if c.seen[hash] = struct{}{}; len(c.seen) > exactRecords {
		c.omitted = c.omitted<<1 | 1
		maps.DeleteFunc(c.seen, func(hash uint64, _ struct{}) bool { return hash&c.omitted != 0 })
	}
	return true
}

// Repeats reports whether the list has ended with the page, because its records were on an earlier page: those of the
// page before it were too, or no count says where the list ends. A count may be much too high, or rise with each page.
// That is the reason then, since the end of the list may be missing.
func (c *Coverage) Repeats() bool {
	twice := c.repeated() && (c.again > 0 || c.records > c.total)
	if twice {
		c.reason = RecordRepeated
	}
	return twice
}

// Enough ends the list with the current page: the reader wants no more of it, so no count is missed.
func (c *Coverage) Enough() { c.total = c.records }

// Incomplete returns why the pages that were noted may not be the whole list; "" if they are.
func (c *Coverage) Incomplete() Reason {
	c.endPage()
	switch {
	case c.reason != "":
		return c.reason
	case !c.begun:
		return PageFailed
	case c.total == upstream.Uncounted:
		return CountUnknown
	case c.records != c.total:
		return CountMismatch
	default:
		return ""
	}
}
