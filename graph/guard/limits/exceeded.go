package limits

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
)

// The names of the limits in errors. A limit with a field in Config has the name of that field in lower camel case.
const (
	LimitBytes         = "bytes"
	LimitTokens        = "tokens"
	LimitDefinitions   = "definitions"
	LimitVariables     = "variables"
	LimitDirectives    = "directives"
	LimitNesting       = "nesting"
	LimitDepth         = "depth"
	LimitFields        = "fields"
	LimitAliases       = "aliases"
	LimitDerived       = "derived"
	LimitRootFields    = "rootFields"
	LimitRepetitions   = "repetitions"
	LimitValidation    = "validation"
	LimitIntrospection = "introspection"
	LimitCost          = "cost"
)

// messages are the error messages of the limits.
var messages = map[string]string{
	LimitBytes:         "the document has more than %d bytes",
	LimitTokens:        "the document has more than %d tokens",
	LimitDefinitions:   "the document has more than %d operations and fragments",
	LimitVariables:     "the document has more than %d variables",
	LimitDirectives:    "the document has more than %d directives",
	LimitNesting:       "the document nests braces and brackets more than %d levels deep",
	LimitDepth:         "the document nests fields more than %d levels deep",
	LimitFields:        "the document has more than %d fields, with its fragments expanded",
	LimitAliases:       "the document has more than %d aliases, with its fragments expanded",
	LimitDerived:       "the document has more than %d derived fields, with its fragments expanded",
	LimitRootFields:    "an operation has more than %d root fields",
	LimitRepetitions:   "the document repeats a field more than %d times in one selection set",
	LimitValidation:    "validating the document takes more than %d steps: nest fewer fragments, and repeat fewer fields",
	LimitIntrospection: "introspection reads more than %d values of the schema",
	LimitCost:          "the operation may cause more than %d upstream calls: request fewer records",
}

// Names returns the names of all limits, sorted.
func Names() []string { return slices.Sorted(maps.Keys(messages)) }

// exceeded returns the error for a document or an operation above a limit. Its message names the limit and its value,
// and repeats nothing from the request.
func exceeded(limit string, maximum int) error {
	return apierror.Exceeds(limit, int64(maximum), fmt.Sprintf(messages[limit], maximum))
}

// errCycle is the error for fragments that spread each other in a cycle. Validation would report it (GraphQL
// specification, section 5.5.2.2); it is detected here because such a document has no finite size.
var errCycle = errors.New("a fragment spreads itself")

// gqlError converts an error to gqlgen's type: one of this package, a syntax error, or one of Config.Accept.
func gqlError(err error) *gqlerror.Error {
	switch err := err.(type) { //nolint:errorlint // the error itself is one of these
	case nil:
		return nil
	case *apierror.Error:
		return err.Wrap()
	case *gqlerror.Error:
		errcode.Set(err, errcode.ParseFailed)
		return err
	default:
		wrapped := &gqlerror.Error{Err: err, Message: err.Error()}
		if errors.Is(err, errCycle) {
			wrapped.Rule = "NoFragmentCycles"
			errcode.Set(wrapped, errcode.ValidationFailed)
		}
		return wrapped
	}
}
