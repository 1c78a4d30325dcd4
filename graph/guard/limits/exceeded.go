package limits

import (
	"fmt"
	"slices"

	"pixgraph/graph/apierror"
)

// The names of the limits in errors. A limit with a field in Config has the name of that field in lower camel case.
const (
	LimitBytes         = "bytes"
	LimitTokens        = "tokens"
	LimitDefers        = "defers"
	LimitDepth         = "depth"
	LimitFields        = "fields"
	LimitDerived       = "derived"
	LimitValidation    = "validation"
	LimitIntrospection = "introspection"
	LimitCost          = "cost"
)

// bound is one limit of a Config.
type bound struct {
	name     string
	value    *int
	fallback int    // its default
	message  string // of its error
}

func (c *Config) bounds() []bound {
	return []bound{
		{LimitBytes, &c.Bytes, DefaultBytes, "the document has more than %d bytes"},
		{LimitTokens, &c.Tokens, DefaultTokens, "the document has more than %d tokens"},
		{LimitDefers, &c.Defers, DefaultDefers, "the document has more than %d @defer"},
		{LimitDepth, &c.Depth, DefaultDepth, "the document nests fields more than %d levels deep"},
		{LimitFields, &c.Fields, DefaultFields, "the document has more than %d fields, with its fragments expanded"},
		{LimitDerived, &c.Derived, DefaultDerived, "the document has more than %d derived fields, with its fragments expanded"},
		{LimitValidation, &c.Validation, DefaultValidation, "validating the document takes more than %d steps: nest fewer fragments, and repeat fewer fields"},
		{LimitIntrospection, &c.Introspection, DefaultIntrospection, "introspection reads more than %d values of the schema"},
		{LimitCost, &c.MaxCost, DefaultMaxCost, "the operation may cause more than %d upstream calls: request fewer records"},
	}
}

// Names returns the names of all limits, sorted.
func Names() (names []string) {
	for _, b := range new(Config).bounds() {
		names = append(names, b.name)
	}
	slices.Sort(names)
	return names
}

// exceeded returns the error for a document or an operation above a limit. Its message names the limit and its value,
// and repeats nothing from the request.
func exceeded(limit string, maximum int) *apierror.Error {
	bounds := new(Config).bounds()
	message := bounds[slices.IndexFunc(bounds, func(b bound) bool { return b.name == limit })].message
	return apierror.Exceeds(limit, int64(maximum), fmt.Sprintf(message, maximum))
}

// errCycle is the error for fragments that spread each other in a cycle. Validation would report it (GraphQL
// specification, section 5.5.2.2); it is detected here because such a document has no finite size.
var errCycle = &apierror.Error{Code: apierror.ValidationFailed, Message: "a fragment spreads itself"}
