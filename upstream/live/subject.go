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
	read          func(context.Context, *client.Session) (*Reading, error)
}

// isList reports whether the subject is a page of a list, whose records depend on the caller.
func (s Subject) isList() bool { return s.Route == routeDeposits || s.Route == routeWithdrawals }

// service is the API that has the subject.
func (s Subject) service() upstream.Service {
	if s.Route == routeNotification {
		return upstream.Dispatcher
	}
	return upstream.Core
}

// The routes of subjects.
const (
	routeTransaction  = "transaction"
	routeWithdrawal   = "withdrawal"
	routeNotification = "notification"
	routeDeposits     = "deposits"
	routeWithdrawals  = "withdrawals"
)

// recordRoutes are those of single records.
var recordRoutes = [...]string{routeTransaction, routeWithdrawal, routeNotification}

// Transaction is the subject of one transaction.
func Transaction(id string) Subject {
	return Subject{routeTransaction, id, func(ctx context.Context, s *client.Session) (*Reading, error) {
		return ofRecord(s.Transaction(ctx, id))
	}}
}

// Withdrawal is the subject of one withdrawal.
func Withdrawal(id string) Subject {
	return Subject{routeWithdrawal, id, func(ctx context.Context, s *client.Session) (*Reading, error) {
		return ofRecord(s.Withdrawal(ctx, id))
	}}
}

// Notification is the subject of one notification.
func Notification(id string) Subject {
	return Subject{routeNotification, id, func(ctx context.Context, s *client.Session) (*Reading, error) {
		return ofRecord(s.Notification(ctx, id))
	}}
}

// Deposits is the subject of one page of deposits.
func Deposits(filter *upstream.DepositFilter, page client.PageRequest) Subject {
	return Subject{routeDeposits, target(filter.Query(), page), func(ctx context.Context, s *client.Session) (*Reading, error) {
		return ofPage(s.Deposits(ctx, filter, page))
	}}
}

// Withdrawals is the subject of one page of withdrawals.
func Withdrawals(filter *upstream.WithdrawalFilter, page client.PageRequest) Subject {
	return Subject{routeWithdrawals, target(filter.Query(), page), func(ctx context.Context, s *client.Session) (*Reading, error) {
		return ofPage(s.Withdrawals(ctx, filter, page))
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
