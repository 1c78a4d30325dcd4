package sandbox

import (
	"math"
	"slices"
	"strings"

	"pixgraph/sandbox/ledger"
)

// filters returns whether a record passes a parameter of a list, by the name of the parameter. The dates of a record
// are those of its creation.
func filters(cfg Config) map[string]func(*ledger.Entry, value) bool {
	from := func(e *ledger.Entry, v value) bool { return !e.CreatedAt.Before(v.date) }
	to := func(e *ledger.Entry, v value) bool { return !e.CreatedAt.After(v.date) }
	if cfg.ExclusiveDates {
		from = func(e *ledger.Entry, v value) bool { return e.CreatedAt.After(v.date) }
		to = func(e *ledger.Entry, v value) bool { return e.CreatedAt.Before(v.date) }
	}
	return map[string]func(*ledger.Entry, value) bool{
		"startDate":      from,
		"endDate":        to,
		"minAmount":      func(e *ledger.Entry, v value) bool { return e.Amount >= v.number },
		"maxAmount":      func(e *ledger.Entry, v value) bool { return e.Amount <= v.number },
		"status":         func(e *ledger.Entry, v value) bool { return slices.Contains(v.list, e.Status) },
		"depositOrigin":  func(e *ledger.Entry, v value) bool { return slices.Contains(v.list, e.DepositOrigin) },
		"id":             func(e *ledger.Entry, v value) bool { return strings.EqualFold(e.ID, v.text) },
		"pixKey":         func(e *ledger.Entry, v value) bool { return e.PixKey == v.text },
		"endToEnd":       func(e *ledger.Entry, v value) bool { return e.EndToEnd == v.text },
		"endToEndRefund": func(e *ledger.Entry, v value) bool { return e.EndToEndRefund == v.text },
		"externalCode":   func(e *ledger.Entry, v value) bool { return e.ExternalCode == v.text },
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
