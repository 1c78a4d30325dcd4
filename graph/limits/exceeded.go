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

// The names of the limits, as errors have them. Those with a field in Config are its name in lower camel case.
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
	LimitRootFields    = "rootFields"
	LimitRepetitions   = "repetitions"
	LimitValidation    = "validation"
	LimitIntrospection = "introspection"
	LimitCost          = "cost"
)

// texts say what is limited.
var texts = map[string]string{
	LimitBytes:         "the document has more than %d bytes",
	LimitTokens:        "the document has more than %d tokens",
	LimitDefinitions:   "the document has more than %d operations and fragments",
	LimitVariables:     "the document has more than %d variables",
	LimitDirectives:    "the document has more than %d directives",
	LimitNesting:       "the document nests braces and brackets more than %d levels deep",
	LimitDepth:         "the document nests fields more than %d levels deep",
	LimitFields:        "the document has more than %d fields, with its fragments expanded",
	LimitAliases:       "the document has more than %d aliases, with its fragments expanded",
	LimitRootFields:    "an operation has more than %d fields at its root",
	LimitRepetitions:   "the document repeats a field of the same name more than %d times at one place",
	LimitValidation:    "the document takes more than %d steps to validate: spread fewer fragments within each other, and repeat fewer fields",
	LimitIntrospection: "the document reads more than %d values of the schema",
	LimitCost:          "the operation may lead to more than %d calls upstream: ask for fewer records at a time",
}

// Names lists the limits, by the names above.
func Names() []string { return slices.Sorted(maps.Keys(texts)) }

// exceeded says that a document or an operation is above a limit. Its text names the limit and its value and nothing of the
// request.
func exceeded(limit string, most int) error {
	return apierror.Exceeds(limit, int64(most), fmt.Sprintf(texts[limit], most))
}

// errCycle says that a document's fragments spread each other in a circle. It is a fault of the document by the GraphQL
// specification (5.5.2.2) and found here, because such a document has no size.
var errCycle = errors.New("a fragment spreads itself")

// gqlError wraps an error of ours in gqlgen's.
func gqlError(err error) *gqlerror.Error {
	if own := apierror.Of(err); own != nil {
		return own.Wrap()
	}
	wrapped := &gqlerror.Error{Err: err, Message: err.Error()}
	if errors.Is(err, errCycle) {
		wrapped.Rule = "NoFragmentCycles"
		errcode.Set(wrapped, errcode.ValidationFailed)
	}
	return wrapped
}
