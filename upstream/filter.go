package upstream

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pixgraph/upstream/pix"
)

// The bounds of spec 8.
const (
	minDepositAmount    = 1        // cents
	minWithdrawalAmount = 10       // cents
	maxAmount           = 10000000 // cents
	minCodeLength       = 8        // characters
	maxCodeLength       = 255      // characters
)

// The filters themselves are in the files of their records, such as DepositFilter in deposit.go. This file has the rules and
// the encoding of parameters that they share.

// Violation is one rule of the spec that an input breaks.
type Violation struct {
	Field string // the field of the filter, "id", or a paging argument
	Rule  string // what the field accepts: "must be …"
}

// InvalidInputError lists the violations of an input that was rejected before any call.
type InvalidInputError struct{ Violations []Violation }

// Error implements error. The text does not contain the input.
func (e *InvalidInputError) Error() string {
	rules := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		rules[i] = v.Field + " " + v.Rule
	}
	return strings.Join(rules, "; ")
}

// violations collects the rules that a filter breaks. Each of its methods checks one rule of the tables of spec 4.1 and 4.2.
type violations struct{ list []Violation }

func (v *violations) add(field, rule string) { v.list = append(v.list, Violation{field, rule}) }

func (v *violations) date(field string, value *string) {
	if value != nil && !ValidDateTime(*value) {
		v.add(field, DateTimeRule)
	}
}

func (v *violations) amount(field string, value *Cents, min Cents) {
	if value != nil && (*value < min || *value > maxAmount) {
		v.add(field, fmt.Sprintf("must be %d to %d cents", min, maxAmount))
	}
}

func (v *violations) uuidV4(field string, value *string) {
	if value != nil && !pix.ValidUUIDv4(*value) {
		v.add(field, "must be a UUID of version 4")
	}
}

func (v *violations) pixKey(field string, value *string) {
	if value != nil && !pix.ValidKey(*value) {
		v.add(field, "must be a valid Pix key: a CPF or CNPJ without punctuation, a phone as +5511987654321, an e-mail address, or an EVP (UUID)")
	}
}

func (v *violations) code(field string, value *string) {
	if value == nil {
		return
	}
	if n := utf8.RuneCountInString(*value); n < minCodeLength || n > maxCodeLength {
		v.add(field, fmt.Sprintf("must have %d to %d characters", minCodeLength, maxCodeLength))
	}
}

// checkValues checks the rules of an array parameter: not empty, no duplicates, only values of the spec.
func checkValues[E enumeration](v *violations, field string, values []E) {
	if values == nil {
		return
	}
	if len(values) == 0 {
		v.add(field, "must not be empty; omit it for all values")
	}
	seen := make(map[E]bool, len(values))
	for _, value := range values {
		switch {
		case !value.Known():
			v.add(field, "must hold only values that the API knows; UNKNOWN is for responses, not for filters")
			return
		case seen[value]:
			v.add(field, "must not contain duplicates")
			return
		}
		seen[value] = true
	}
}

// dateTimeLayouts are the accepted forms of ISO 8601 dates with a time: with or without seconds, with any fraction (time.Parse
// accepts one after the seconds), with an offset, Z or neither.
var dateTimeLayouts = [...]string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
}

// DateTimeRule is the rule of ValidDateTime for clients, which completes "startDate …".
const DateTimeRule = "must be an ISO 8601 date and time, such as 2026-11-22T00:00:00-03:00; a date alone has no time zone"

// ValidDateTime reports whether s is an ISO 8601 date and time (spec 4).
func ValidDateTime(s string) bool {
	_, ok := ParseDateTime(s)
	return ok
}

// ParseDateTime parses an ISO 8601 date and time (spec 4).
func ParseDateTime(s string) (parsed time.Time, ok bool) {
	if len(s) > len("2006-01-02T15:04:05.999999999999999999-07:00") {
		return parsed, false
	}
	for _, layout := range dateTimeLayouts {
		if parsed, err := time.Parse(layout, s); err == nil {
			return parsed, strictDateTime(s)
		}
	}
	return parsed, false
}

// strictDateTime rejects what time.Parse accepts beyond its layout: an hour of one digit, a comma before the fraction, an
// offset of 24 hours or 60 minutes.
func strictDateTime(s string) bool {
	offset := s[len(s)-len("+23:59"):]
	if sign := offset[0]; (sign == '+' || sign == '-') && (offset[1:] > "23:59" || offset[4] > '5') {
		return false
	}
	return s[len("2006-01-02T15")] == ':' && !strings.Contains(s, ",")
}

// parameters builds a query. An array is sent by repeating its name (spec 4).
type parameters url.Values

// Values returns the query.
func (p parameters) Values() url.Values { return url.Values(p) }

func (p parameters) text(name string, value *string) {
	if value != nil {
		p[name] = []string{*value}
	}
}

func (p parameters) amount(name string, value *Cents) {
	if value != nil {
		p[name] = []string{strconv.FormatInt(int64(*value), 10)}
	}
}

func addValues[E ~string](p parameters, name string, values []E) {
	for _, value := range values {
		p[name] = append(p[name], string(value))
	}
}
