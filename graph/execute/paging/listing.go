package paging

import "pixgraph/upstream"

// Listing is a connection of any type, as readers of a whole list see it.
type Listing interface {
	// Page returns the number and the size of the page that the connection begins in, and the number of pages as Pages
	// does.
	Page() (number, perPage, pages int64)
	// More reports whether records follow the connection.
	More() bool
	// Follows reports whether a page follows that of the connection, as the function does.
	Follows(seen, pages int64) bool
	// Skipped returns the number of records before the connection.
	Skipped() int64
	// Cursor returns the cursor of a record.
	Cursor(i int) (string, error)
	// Cover notes the records and their number in a Coverage of the list without its first skipped records.
	Cover(c *Coverage, skipped int64)
	Len() int
}

// Page implements Listing.
func (c *Connection[T]) Page() (number, perPage, pages int64) {
	return c.page.CurrentPage, c.page.PerPage, Pages(c.page)
}

// More implements Listing.
func (c *Connection[T]) More() bool { return c.more }

// Follows implements Listing.
func (c *Connection[T]) Follows(seen, pages int64) bool { return Follows(c.page, seen, pages) }

// Skipped implements Listing.
func (c *Connection[T]) Skipped() int64 { return c.skipped }

// Cover implements Listing.
func (c *Connection[T]) Cover(coverage *Coverage, skipped int64) {
	coverage.Page(c.page.Total, c.page.TotalPages, skipped)
	for i := range c.records {
		var id upstream.Text
		if raw, err := c.Raw(i); err == nil {
			id, _ = raw.Text("id", true)
		}
		coverage.Record(id, c.records[i].Bytes())
	}
}
