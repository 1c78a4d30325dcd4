package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"
)

// The defaults where the spec defines nothing.
const (
	defaultAudience     = "pixgraph-sandbox"
	defaultPageParam    = "page"
	defaultPerPageParam = "perPage"
	defaultPerPage      = 20
	defaultMaxPerPage   = 100
	// defaultMoveEvery is short enough for a user of GraphiQL to see a payment change between two runs of a query.
	defaultMoveEvery = 3 * time.Second
)

// Config has every choice that docs/upstream-api.md leaves open. So it documents
// what the sandbox does wherever the contract says "not shown". The zero value
// selects the documented defaults.
//
// Choices that can be configured are the fields. The other choices are:
//   - a list filtered by contradictory bounds (minAmount above
//     maxAmount, startDate after endDate) is an empty page, not a 422;
//   - a page beyond the end is 200 with empty data and the requested currentPage;
//     totalPages is 0 if there are no records;
//   - a date-time is the extended form of ISO 8601 in upper case, seconds,
//     fraction and offset optional; without an offset it is UTC;
//   - numbers are decimal digits without sign, point, exponent or leading zero;
//   - lengths are counted in characters (runes), text filters match the whole
//     value exactly, the id filter ignores case;
//   - a scalar parameter sent twice, and a query that is not valid URL
//     encoding, are 422;
//   - a malformed notification id is 404 like an unknown one (spec 4.4 lists
//     no 422); /transaction/ and /request/ without an id are unknown paths;
//   - an unknown path is 404 and a method other than GET (including HEAD) 405,
//     both before the bearer is checked; then come 401, 403, 422, 404;
//   - an error's body is {"statusCode":422,"message":"…","errors":[{"field":
//     "status","message":"…"}]}, with errors only for 422;
//   - the token's issuer, audience, signature and lifetime are verified, and
//     its scopes are those that the issuer's Verify reads.
type Config struct {
	// Seed and Records (per kind, 0 = the ledger's default of 2,000) determine
	// the records: the same values give the same records.
	Seed    uint64
	Records int
	// Deposits is the number of deposits, if it is larger than Records: those of a large shop (see ledger.Config).
	Deposits int
	// Now is the clock of the issuer and the reference time of the records'
	// dates. Nil is time.Now for the issuer and a fixed time for the records.
	// The recorder always uses the real clock.
	Now func() time.Time

	// PageParam and PerPageParam name the paging parameters (spec 4.5 does not
	// show them): "" = "page" and "perPage", both counted from 1.
	PageParam, PerPageParam string
	// IgnorePaging makes lists return page 1 with the default size, whatever
	// the request: like an API whose paging parameters have other names.
	IgnorePaging bool
	// IgnorePerPage makes lists return pages of the default size, whatever the
	// request: like an API whose size parameter has another name or does not
	// exist.
	IgnorePerPage bool
	// DefaultPerPage is the size of a page if the request names no size (0 = 20).
	// MaxPerPage is the maximum (0 = 100): a larger size is 422, or reduced to
	// MaxPerPage if ClampPerPage is set.
	DefaultPerPage, MaxPerPage int
	ClampPerPage               bool
	// OldestFirst reverses the order of lists. By default the newest record (by createdAt) comes first.
	OldestFirst bool
	// ExclusiveDates makes startDate and endDate exclusive; by default both are inclusive. Both apply to createdAt.
	ExclusiveDates bool
	// StrictQuery rejects parameters that the spec does not list with 422 (404
	// for notifications, which have no 422); by default they are ignored.
	StrictQuery bool
	// CoreScope is a scope that the core endpoints require (403 without it).
	// Spec 5 names none, so "" requires none. The dispatcher always
	// requires get_dispatcher.
	CoreScope string

	// MoveEvery is the time between two steps of the open payments: 0 = 3 s,
	// negative = only when Ledger().Step is called.
	MoveEvery time.Duration
	// Servers are the base URLs of the servers that serve Handler, such as
	// http://127.0.0.1:8080; those after the first are other names of the same
	// server, of which people use the last one. They are in the issuer's URLs. Nil is the sandbox's own listener.
	Servers []string
	// KeyFile keeps the issuer's key, so that tokens stay valid after a restart
	// at the same URL. It is created if it is missing. "" is a key in memory.
	KeyFile string
	// Audience is the aud that tokens must carry ("" = "pixgraph-sandbox").
	Audience string
	// Listen begins to listen on a new address of loopback; nil for one of TCP.
	Listen func() (net.Listener, error)
	// Dial makes the connections of Client and of webhooks; nil for TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Log receives one line per failure of the sandbox itself, and none per call. Nil discards them.
	Log *slog.Logger
}

// complete returns c with the defaults filled in, or an error that names the invalid field.
func (c Config) complete() (Config, error) {
	c.PageParam = cmp.Or(c.PageParam, defaultPageParam)
	c.PerPageParam = cmp.Or(c.PerPageParam, defaultPerPageParam)
	c.MaxPerPage = cmp.Or(c.MaxPerPage, defaultMaxPerPage)
	c.DefaultPerPage = cmp.Or(c.DefaultPerPage, min(defaultPerPage, c.MaxPerPage))
	c.MoveEvery = cmp.Or(c.MoveEvery, defaultMoveEvery)
	c.Audience = cmp.Or(c.Audience, defaultAudience)
	if c.Listen == nil {
		c.Listen = func() (net.Listener, error) {
			return new(net.ListenConfig).Listen(context.Background(), "tcp4", "127.0.0.1:0")
		}
	}
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	switch {
	case c.Records < 0:
		return c, fmt.Errorf("sandbox: Records is %d, want 0 or more", c.Records)
	case c.MaxPerPage < 1:
		return c, fmt.Errorf("sandbox: MaxPerPage is %d, want 1 or more", c.MaxPerPage)
	case c.DefaultPerPage < 1 || c.DefaultPerPage > c.MaxPerPage:
		return c, fmt.Errorf("sandbox: DefaultPerPage is %d, want 1 to MaxPerPage (%d)", c.DefaultPerPage, c.MaxPerPage)
	case c.PageParam == c.PerPageParam:
		return c, errors.New("sandbox: PageParam and PerPageParam are the same name")
	}
	return c, nil
}
