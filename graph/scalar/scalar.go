// Package scalar converts values between the upstream types and GraphQL. Values from an API are written unchanged;
// values from a client are checked. Rules for single fields are in upstream/filter.go.
//
// Read one pair of functions first, such as MarshalCents and UnmarshalCents.
package scalar

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/apierror"
	"pixgraph/upstream"
)

// invalid returns the error for a value in a document or a variable that does not have its type. It does not contain
// the value.
func invalid(rule string) error { return apierror.Input("", rule) }

// MarshalString writes a string of the gateway.
func MarshalString(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalString reads a string. Unlike gqlgen's function, it rejects numbers and booleans.
func UnmarshalString(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", invalid("must be a string")
}

// MarshalID writes an id of the gateway.
func MarshalID(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalID reads an id: a string or an integer, by the GraphQL specification.
func UnmarshalID(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	if i, ok := integer(v); ok {
		return strconv.FormatInt(i, 10), nil
	}
	return "", invalid("must be a string or an integer")
}

// MarshalInt writes a 32-bit integer.
func MarshalInt(i int32) graphql.Marshaler { return graphql.MarshalInt32(i) }

// UnmarshalInt reads a 32-bit integer.
func UnmarshalInt(v any) (int32, error) {
	i, ok := integer(v)
	if !ok || i != int64(int32(i)) {
		return 0, invalid("must be a 32-bit integer")
	}
	return int32(i), nil
}

// MarshalCents writes an amount with all of its digits.
func MarshalCents(c upstream.Cents) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(strconv.AppendInt(nil, int64(c), 10)) })
}

// UnmarshalCents reads an amount in whole cents, also as a string of its digits: generated clients may know custom
// scalars as strings only.
func UnmarshalCents(v any) (upstream.Cents, error) {
	if digits, ok := v.(string); ok && !strings.HasPrefix(digits, "+") {
		v = json.Number(digits)
	}
	i, ok := integer(v)
	if !ok {
		return 0, invalid("must be a whole number of cents")
	}
	return upstream.Cents(i), nil
}

// integer converts the types that gqlparser and encoding/json decode integers to.
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

// MarshalDateTime writes a date and time of the gateway.
func MarshalDateTime(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalDateTime reads an ISO 8601 date and time in each form that APIs are likely to write, so that a client may
// send what it got. Filters accept those of the contract only.
func UnmarshalDateTime(v any) (string, error) {
	if s, ok := v.(string); ok {
		if _, _, ok := upstream.ParseTime(s); ok {
			return s, nil
		}
	}
	return "", invalid(upstream.DateTimeRule)
}
