package sandbox

import (
	"math"
	"slices"

	"pixgraph/upstream/sandbox/ledger"
)

// maxAmount is the maximum amount in a filter, in cents (spec 8).
const maxAmount = 10_000_000

// dateParameters filter by the createdAt of a record.
func dateParameters(cfg Config) []parameter {
	from := func(e *ledger.Entry, v value) bool { return !e.CreatedAt.Before(v.date) }
	to := func(e *ledger.Entry, v value) bool { return !e.CreatedAt.After(v.date) }
	if cfg.ExclusiveDates {
		from = func(e *ledger.Entry, v value) bool { return e.CreatedAt.After(v.date) }
		to = func(e *ledger.Entry, v value) bool { return e.CreatedAt.Before(v.date) }
	}
	return []parameter{
		{name: "startDate", form: formDate, keep: from},
		{name: "endDate", form: formDate, keep: to},
	}
}

// amountParameters filter by the amount of a record; least is the spec's
// minimum in cents, which differs between the two lists (spec 8).
func amountParameters(least int64) []parameter {
	return []parameter{
		{name: "minAmount", form: formInteger, min: least, max: maxAmount, keep: func(e *ledger.Entry, v value) bool { return e.Amount >= v.number }},
		{name: "maxAmount", form: formInteger, min: least, max: maxAmount, keep: func(e *ledger.Entry, v value) bool { return e.Amount <= v.number }},
	}
}

// pageParameters are our choice (spec 4.5). With IgnorePaging they are unknown parameters.
func pageParameters(cfg Config) []parameter {
	if cfg.IgnorePaging {
		return nil
	}
	largest := int64(cfg.MaxPerPage)
	if cfg.ClampPerPage {
		largest = math.MaxInt32
	}
	return []parameter{
		{name: cfg.PageParam, form: formInteger, min: 1, max: math.MaxInt32},
		{name: cfg.PerPageParam, form: formInteger, min: 1, max: largest},
	}
}

func equal(field func(*ledger.Entry) string) func(*ledger.Entry, value) bool {
	return func(e *ledger.Entry, v value) bool { return field(e) == v.text }
}

func oneOf(field func(*ledger.Entry) string) func(*ledger.Entry, value) bool {
	return func(e *ledger.Entry, v value) bool { return slices.Contains(v.list, field(e)) }
}

func status(e *ledger.Entry) string         { return e.Status }
func depositOrigin(e *ledger.Entry) string  { return e.DepositOrigin }
func pixKey(e *ledger.Entry) string         { return e.PixKey }
func endToEnd(e *ledger.Entry) string       { return e.EndToEnd }
func endToEndRefund(e *ledger.Entry) string { return e.EndToEndRefund }
func externalCode(e *ledger.Entry) string   { return e.ExternalCode }
