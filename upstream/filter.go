package upstream

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"pixgraph/upstream/pix"
)

// The filters themselves, such as DepositFilter, are generated from the contract into contract.generated.go. This file
// has the rules and the encoding of parameters that they share.

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

// violations collects the rules that a filter breaks. Each of its methods checks one rule of the tables of spec 4.1 and
// 4.2.
type violations struct{ list []Violation }

func (v *violations) add(field, rule string) { v.list = append(v.list, Violation{field, rule}) }

func (v *violations) date(field string, value *string) {
	if value == nil {
		return
	}
	if _, ok := ParseDateTime(*value); !ok {
		v.add(field, DateTimeRule)
	}
}

func (v *violations) amount(field string, value *Cents, min, max Cents) {
	if value != nil && (*value < min || *value > max) {
		v.add(field, fmt.Sprintf("must be %d to %d cents", min, max))
	}
}

func (v *violations) id(field string, value *string, form *IDForm) {
	if value != nil && !form.Valid(*value) {
		v.add(field, form.Rule)
	}
}

func (v *violations) pixKey(field string, value *string) {
	if value != nil && !pix.ValidKey(*value) {
		v.add(field, "must be a valid Pix key: a CPF or CNPJ without punctuation, a phone as +5511987654321, an e-mail address, or an EVP (UUID)")
	}
}

func (v *violations) code(field string, value *string, min, max int) {
	if value == nil {
		return
	}
	if n := utf8.RuneCountInString(*value); n < min || n > max {
		v.add(field, fmt.Sprintf("must have %d to %d characters", min, max))
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
