package scalar

import (
	"github.com/99designs/gqlgen/graphql"

	"pixgraph/upstream"
)

// Decimal and JSON only ever come from an API. gqlgen wants to be able to read every scalar; no argument of the
// schema is of these types, so what follows refuses.

// MarshalDecimal writes a number with the API's own digits.
func MarshalDecimal(d upstream.Decimal) graphql.Marshaler { return raw(d) }

// UnmarshalDecimal refuses: no argument is a Decimal.
func UnmarshalDecimal(any) (upstream.Decimal, error) {
	return nil, wrong("cannot be given")
}

// MarshalJSON writes a value as the API sent it.
func MarshalJSON(j upstream.JSON) graphql.Marshaler { return raw(j) }

// UnmarshalJSON refuses: no argument is a JSON.
func UnmarshalJSON(any) (upstream.JSON, error) {
	return nil, wrong("cannot be given")
}
