package live

import (
	"context"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// Subject is what a stream reads: one record, or one page of a list.
type Subject struct {
	// Route and Target identify it. Target is the id of a record, or the arguments of a list in canonical form.
	Route, Target string
	of            *upstream.Contract
	read          func(context.Context, *client.Session) (*Reading, error)
}

// isList reports whether the subject is a page of a list, whose records depend on the caller.
func (s Subject) isList() bool { return s.Route == s.of.List }

// service is the API that has the subject.
func (s Subject) service() upstream.Service { return s.of.Service }

// Record is the subject of one record.
func Record[T upstream.Resource](fetch func(*client.Session, context.Context, string) (*T, error), id string) Subject {
	of := upstream.ContractOf[T]()
	return Subject{of.Noun, id, of, func(ctx context.Context, s *client.Session) (*Reading, error) {
		return ofRecord(fetch(s, ctx, id))
	}}
}

// Page is the subject of one page of a list.
func Page[T upstream.Resource, F interface{ Query() url.Values }](
	fetch func(*client.Session, context.Context, F, client.PageRequest) (*upstream.Page[T], error), filter F, page client.PageRequest,
) Subject {
	of := upstream.ContractOf[T]()
	return Subject{of.List, target(filter.Query(), page), of, func(ctx context.Context, s *client.Session) (*Reading, error) {
		return ofPage(fetch(s, ctx, filter, page))
	}}
}

// target formats the arguments of a list. The order of a filter's parameters does not matter.
func target(filter url.Values, page client.PageRequest) string {
	return strconv.FormatInt(int64(page.Number), 10) + "/" + strconv.FormatInt(int64(page.Size), 10) + "?" + filter.Encode()
}

// Reading is what a read found. Its Record points into memory of the session, so it is valid until Release.
type Reading struct {
	Record  any    // *upstream.Transaction, *upstream.Page[upstream.Deposit], …
	Status  string // as the API sent it; "" for a list
	History []Entry
	Updated time.Time // updatedAt; the zero time for a list
	Read    time.Time

	// Version changes when the record does. Values that differ at every read do not change it; see version.go.
	Version Version

	Session *client.Session // for the links of the record
	release func()
	holders atomic.Int32 // users in addition to the first
}

// retain adds a user, which must call Release too.
func (r *Reading) retain() *Reading {
	r.holders.Add(1)
	return r
}

// Release ends the use of the reading by one user.
func (r *Reading) Release() {
	if r.holders.Add(-1) < 0 && r.release != nil {
		r.release()
	}
}

// Entry is a status that the record had.
type Entry struct {
	Status string
	Since  time.Time // in UTC if the API names no offset; the zero time if it is not a time
}
