package paging

import "pixgraph/upstream"

// Listing is a connection of any type, as readers of a whole list see it.
type Listing interface {
	// Position returns the number and the size of the page that the connection begins in, and whether records follow
	// it.
	Position() (page, perPage int64, more bool)
	// Skipped returns the number of records before the connection.
	Skipped() int64
	// Cursor returns the cursor of a record.
	Cursor(i int) (string, error)
	// Cover notes the records and their number in a Coverage of the list without its first skipped records.
	Cover(c *Coverage, skipped int64)
	Len() int
}

// Position implements Listing.
func (c *Connection[T]) Position() (page, perPage int64, more bool) {
	return c.page.CurrentPage, c.page.PerPage, c.more
}

// Skipped implements Listing.
func (c *Connection[T]) Skipped() int64 { return c.skipped }

// Cover implements Listing.
func (c *Connection[T]) Cover(coverage *Coverage, skipped int64) {
	total := c.page.Total
	if total != upstream.Uncounted {
		total = max(0, total-skipped)
	}
	coverage.Page(total)
	for i := range c.records {
		id := ""
		if raw, err := c.Raw(i); err == nil {
			text, _ := raw.Text("id", true)
			id = text.String()
		}
		coverage.Record(id)
	}
}
