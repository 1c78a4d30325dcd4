package scalar

import (
	"github.com/99designs/gqlgen/graphql"

	"pixgraph/upstream"
)

// Decimal and JSON are output types only. gqlgen requires a function to read every scalar; since no argument of the
// schema has these types, the functions here return an error.

// MarshalDecimal writes a number with the digits that the API sent.
func MarshalDecimal(d upstream.Decimal) graphql.Marshaler { return raw(d) }

// UnmarshalDecimal always fails: no argument is a Decimal.
func UnmarshalDecimal(any) (upstream.Decimal, error) {
	return nil, invalid("is not an input")
}

// MarshalJSON writes a value as the API sent it.
func MarshalJSON(j upstream.JSON) graphql.Marshaler { return raw(j) }

// UnmarshalJSON always fails: no argument is a JSON.
func UnmarshalJSON(any) (upstream.JSON, error) {
	return nil, invalid("is not an input")
}
