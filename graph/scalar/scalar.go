// Package scalar carries values between the upstream types and GraphQL: what an API sent is written as it came,
// what a client sends is checked. It is not a place for rules about single fields; those are in upstream/filter.go.
//
// Read first: one pair of functions, such as MarshalCents and UnmarshalCents.
package scalar

import (
	"encoding/json"
	"io"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/apierror"
	"pixgraph/upstream"
)

// wrong says that a value in a document or a variable is not of its type. It does not hold the value.
func wrong(rule string) error { return apierror.Input("", rule) }

// raw writes a value that is JSON already.
func raw(value []byte) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(value) })
}

// MarshalText writes a text that came from an API: String, ID, DateTime and URL alike.
func MarshalText(t upstream.Text) graphql.Marshaler { return raw(t) }

// UnmarshalText reads a text.
func UnmarshalText(v any) (upstream.Text, error) {
	s, err := UnmarshalString(v)
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// MarshalString writes a text of ours.
func MarshalString(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalString reads a text, and only that: gqlgen's own takes numbers and booleans too.
func UnmarshalString(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", wrong("must be a string")
}

// MarshalID writes an id of ours.
func MarshalID(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalID reads an id: a text or an integer, as the GraphQL specification has it.
func UnmarshalID(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return strconv.FormatInt(i, 10), nil
		}
	case int64:
		return strconv.FormatInt(v, 10), nil
	case int:
		return strconv.Itoa(v), nil
	}
	return "", wrong("must be a string or an integer")
}

// MarshalInt writes a 32-bit integer.
func MarshalInt(i int32) graphql.Marshaler { return graphql.MarshalInt32(i) }

// UnmarshalInt reads a 32-bit integer.
func UnmarshalInt(v any) (int32, error) {
	i, ok := integer(v)
	if !ok || i != int64(int32(i)) {
		return 0, wrong("must be a 32-bit integer")
	}
	return int32(i), nil
}

// MarshalCents writes an amount with all its digits.
func MarshalCents(c upstream.Cents) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(strconv.AppendInt(nil, int64(c), 10)) })
}

// UnmarshalCents reads an amount of whole cents.
func UnmarshalCents(v any) (upstream.Cents, error) {
	i, ok := integer(v)
	if !ok {
		return 0, wrong("must be a whole number of cents")
	}
	return upstream.Cents(i), nil
}

// integer reads what gqlparser and encoding/json make of an integer.
func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case json.Number:
		i, err := strconv.ParseInt(string(v), 10, 64)
		return i, err == nil
	default:
		return 0, false
	}
}

// MarshalDateTime writes a date and time of ours.
func MarshalDateTime(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalDateTime reads an ISO 8601 date and time.
func UnmarshalDateTime(v any) (string, error) {
	if s, ok := v.(string); ok && upstream.ValidDateTime(s) {
		return s, nil
	}
	return "", wrong("must be an ISO 8601 date and time, such as 2026-01-31T12:00:00Z")
}
