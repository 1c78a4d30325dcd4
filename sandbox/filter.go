package sandbox

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"pixgraph/sandbox/ledger"
)

// createdAt is the member by which lists are in order. A record without a valid date has one too.
const createdAt = "createdAt"

// keeps reports whether a record passes a parameter of a list. A number or a date that the record lacks is 0.
func (a argument) keeps(e *ledger.Entry) bool {
	var order int
	switch a.form {
	case formList:
		return slices.Contains(a.list, e.Text(a.member))
	case formUUID, formUUIDv4:
		return strings.EqualFold(e.Text(a.member), a.text)
	case formInteger:
		number, _ := strconv.ParseInt(e.Text(a.member), 10, 64)
		order = cmp.Compare(number, a.number)
	case formDate:
		at := e.CreatedAt
		if a.member != createdAt {
			at, _ = parseDate(e.Text(a.member))
		}
		order = at.Compare(a.date)
	default:
		return e.Text(a.member) == a.text
	}
	return order == 0 && !a.exclusive || order > 0 && a.comparison == ">=" || order < 0 && a.comparison == "<="
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
