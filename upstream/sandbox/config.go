package sandbox

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// The choices made where the spec is silent and Config says nothing else.
const (
	defaultAudience     = "pixgraph-sandbox"
	defaultPageParam    = "page"
	defaultPerPageParam = "perPage"
	defaultPerPage      = 20
	defaultMaxPerPage   = 100
	// defaultMoveEvery lets somebody who looks at GraphiQL see a payment move
	// between two runs of a query.
	defaultMoveEvery = 3 * time.Second
)

// Config holds every choice that docs/upstream-api.md leaves open, so this is the
// one place to read what the sandbox does where the contract says "not shown".
// The zero value is the documented defaults.
//
// Choices with a setting are the fields. Choices without one:
//   - a list filtered by bounds that exclude each other (minAmount above
//     maxAmount, startDate after endDate) is an empty page, not a 422;
//   - a page beyond the end is 200 with empty data and the asked currentPage;
//     totalPages of no records is 0;
//   - a date-time is the extended form of ISO 8601 in upper case, seconds,
//     fraction and offset optional; without an offset it is UTC;
//   - numbers are decimal digits without sign, point, exponent or leading zero;
//   - lengths are counted in characters (runes), text filters match the whole
//     value exactly, the id filter ignores case;
//   - a scalar parameter sent twice, and a query that is no valid URL
//     encoding, are 422;
//   - a malformed notification id is 404 like an unknown one (spec 4.4 lists
//     no 422); /transaction/ and /request/ without an id are unknown paths;
//   - an unknown path is 404 and a method other than GET (HEAD too) 405, both
//     before the bearer is looked at; then come 401, 403, 422, 404;
//   - an error's body is {"statusCode":422,"message":"…","errors":[{"field":
//     "status","message":"…"}]}, with errors on 422 alone;
//   - the token's issuer, audience, signature and lifetime are verified, and
//     its scopes are those that the issuer's Verify reads.
type Config struct {
	// Seed and Records (of each kind, 0 = the ledger's default of 2,000) decide
	// the records: the same two give the same records.
	Seed    uint64
	Records int
	// Now is the clock of the issuer and the anchor of the records' dates. Nil
	// is time.Now for the issuer and the ledger's fixed anchor for the records.
	// The recorder always uses the real clock.
	Now func() time.Time

	// PageParam and PerPageParam name the paging parameters (spec 4.5 does not
	// show them): "" = "page" and "perPage", both counted from 1.
	PageParam, PerPageParam string
	// IgnorePaging makes lists answer page 1 in the default size whatever is
	// asked: an API whose paging parameters have other names.
	IgnorePaging bool
	// IgnorePerPage makes lists answer pages of the default size whatever size
	// is asked for: an API whose size parameter has another name, or none.
	IgnorePerPage bool
	// DefaultPerPage is the size of a page when none is asked (0 = 20).
	// MaxPerPage is the largest (0 = 100): asking for more is 422, or with
	// ClampPerPage answered with MaxPerPage.
	DefaultPerPage, MaxPerPage int
	ClampPerPage               bool
	// OldestFirst turns the lists round; by default the newest record (by
	// createdAt) comes first.
	OldestFirst bool
	// ExclusiveDates makes startDate and endDate exclude the very instant they
	// name; by default both include it. Both apply to createdAt.
	ExclusiveDates bool
	// StrictQuery refuses parameters that the spec does not list with 422
	// (404 is all that notifications know); by default they are ignored.
	StrictQuery bool
	// CoreScope is a scope that the core endpoints require (403 without it).
	// Spec 5 names none, so "" requires none. The dispatcher's is always
	// get_dispatcher.
	CoreScope string

	// MoveEvery is the time between two steps of the open payments: 0 = 3 s,
	// negative = they move only when Ledger().Step is called.
	MoveEvery time.Duration
	// Audience is the aud that tokens must carry ("" = "pixgraph-sandbox").
	Audience string
	// Log gets one line per failure of the sandbox itself, none per call. Nil
	// discards.
	Log *slog.Logger
}

// complete returns c with the defaults filled in, or an error that names the
// field that makes no sense.
func (c Config) complete() (Config, error) {
	if c.PageParam == "" {
		c.PageParam = defaultPageParam
	}
	if c.PerPageParam == "" {
		c.PerPageParam = defaultPerPageParam
	}
	if c.MaxPerPage == 0 {
		c.MaxPerPage = defaultMaxPerPage
	}
	if c.DefaultPerPage == 0 {
		c.DefaultPerPage = min(defaultPerPage, c.MaxPerPage)
	}
	if c.MoveEvery == 0 {
		c.MoveEvery = defaultMoveEvery
	}
	if c.Audience == "" {
		c.Audience = defaultAudience
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
