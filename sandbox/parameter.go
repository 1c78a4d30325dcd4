package sandbox

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pixgraph/sandbox/ledger"
	"pixgraph/upstream/pix"
)

// form is the required form of a parameter's value (spec 4).
type form string

const (
	formDate    form = "date"    // ISO 8601 date-time with time
	formInteger form = "integer" // min..max
	formList    form = "list"    // repeated, one of allowed each, no duplicates
	formText    form = "text"    // min..max characters
	formUUID    form = "uuid"
	formUUIDv4  form = "uuid v4"
	formPixKey  form = "pix key"
	formAny     form = "any" // one of allowed, if there are any
)

// parameter is one parameter of an operation: its form and the records that it selects.
type parameter struct {
	name     string
	form     form
	min, max int64    // formInteger: the value; formText: its length in characters
	allowed  []string // formList and formAny

	member     string // of the records, by its path; "": does not filter (paging)
	comparison string // of the member with the value: >=, <= or "" for equality
	exclusive  bool   // whether >= and <= are > and <
}

// value is the parsed value of a valid parameter; its form decides which field is set.
type value struct {
	text   string
	number int64
	date   time.Time
	list   []string
}

// violation is one violated rule; it never repeats the invalid value.
type violation struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// query has the valid parameters of one call, in the order of the table.
type query []argument

type argument struct {
	parameter
	value
}

// readQuery checks raw in the order of the table, so that the same call always
// gets the same violations in the same order.
func readQuery(raw string, table []parameter, strict bool) (query, []violation) {
	sent, err := url.ParseQuery(raw)
	if err != nil {
		return nil, []violation{{"query", "must be valid URL encoding"}}
	}
	var q query
	var broken []violation
	for _, p := range table {
		values, ok := sent[p.name]
		if !ok {
			continue
		}
		delete(sent, p.name)
		v, message := p.read(values)
		if message != "" {
			broken = append(broken, violation{p.name, message})
			continue
		}
		q = append(q, argument{p, v})
	}
	if strict && len(sent) > 0 {
		broken = append(broken, violation{"query", "must not contain a parameter that the endpoint does not know"})
	}
	return q, broken
}

// read returns the parsed values of one parameter, or the message of the violated rule.
func (p parameter) read(values []string) (v value, message string) {
	if p.form == formList {
		return p.readList(values)
	}
	if len(values) > 1 {
		return v, "must be sent once"
	}
	v.text = values[0]
	switch p.form {
	case formDate:
		date, ok := parseDate(v.text)
		if !ok {
			return v, "must be an ISO 8601 date-time with time"
		}
		v.date = date
	case formInteger:
		n, err := strconv.ParseInt(v.text, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != v.text || n < p.min || n > p.max {
			return v, fmt.Sprintf("must be an integer from %d to %d", p.min, p.max)
		}
		v.number = n
	case formText:
		if n := int64(utf8.RuneCountInString(v.text)); n < p.min || n > p.max {
			return v, fmt.Sprintf("must have %d to %d characters", p.min, p.max)
		}
	case formUUID:
		if !pix.ValidUUID(v.text) {
			return v, "must be a UUID"
		}
	case formUUIDv4:
		if !pix.ValidUUIDv4(v.text) {
			return v, "must be a UUID v4"
		}
	case formAny:
		if p.allowed != nil && !slices.Contains(p.allowed, v.text) {
			return v, "must be one of " + strings.Join(p.allowed, ", ")
		}
	case formPixKey:
		if _, ok := pix.KeyTypeOf(v.text); !ok {
			return v, "must be a Pix key: CPF, CNPJ, EMAIL, PHONE or EVP"
		}
	}
	return v, ""
}

// readList checks an array parameter: the name is repeated once per value. A
// comma is part of the value, so comma-joined values are unknown values.
func (p parameter) readList(values []string) (value, string) {
	for i, s := range values {
		switch {
		case s == "":
			return value{}, "must not be empty"
		case !slices.Contains(p.allowed, s):
			return value{}, "each value must be one of " + strings.Join(p.allowed, ", ")
		case slices.Contains(values[:i], s):
			return value{}, "must not contain duplicates"
		}
	}
	return value{list: values}, ""
}

// selected returns the records of a kind that pass every filter of the call.
func (q query) selected(from *ledger.Ledger, kind ledger.Kind) ledger.Selection {
	var times, others query
	var members []string
	for _, a := range q {
		switch a.member {
		case "":
		case createdAt:
			times = append(times, a)
		default:
			others, members = append(others, a), append(members, a.member)
		}
	}
	if others == nil {
		return from.Select(kind, times.keeps, nil)
	}
	return from.Select(kind, times.keeps, others.keeps, members...)
}

// keeps reports whether the record passes every filter of the call.
func (q query) keeps(e *ledger.Entry) bool {
	for _, a := range q {
		if !a.keeps(e) {
			return false
		}
	}
	return true
}

// number returns the integer value of a parameter, or other if it was not sent.
func (q query) number(name string, other int) int {
	for _, a := range q {
		if a.name == name {
			return int(a.number)
		}
	}
	return other
}

// dateForm is checked before time.Parse, which also accepts one-digit hours and a comma before the fraction.
var dateForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$`)

// parseDate parses an ISO 8601 date-time with time; without an offset it is UTC.
func parseDate(s string) (time.Time, bool) {
	m := dateForm.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	layout := "2006-01-02T15:04"
	if m[1] != "" {
		layout += ":05"
	}
	if m[3] != "" {
		layout += "Z07:00"
	}
	t, err := time.Parse(layout, s)
	return t, err == nil
}
