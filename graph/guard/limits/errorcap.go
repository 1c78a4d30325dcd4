package limits

import (
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// DefaultErrors is the largest number of validation errors that are reported for a document.
const DefaultErrors = 50

// CapErrors wraps a set of rules so that all of them together report at most the given number of errors, each only
// once. gqlparser has no such bound: a document of a thousand tokens can have 25,000 errors, and formatting their
// messages takes longer than the rest of validation. It also reports an error in a fragment each time it visits the
// fragment.
//
// The result is valid for one validation, so the function passed to SetValidationRulesFn must build a new one each
// time. The rules must have the names that gqlgen expects: when suggestions are off, it replaces
// FieldsOnCorrectType and ScalarLeafs by their WithoutSuggestions variants, unless the set has those already.
func CapErrors(set *rules.Rules, errors int) *rules.Rules {
	reported, attempts := map[violation]bool{}, repeats*errors
	capped := &rules.Rules{}
	for name, rule := range set.GetInner() {
		capped.AddRule(name, func(observers *core.Events, add core.AddErrFunc) {
			rule(observers, func(options ...core.ErrorOption) {
				if attempts--; attempts < 0 || len(reported) == errors {
					return
				}
				if found := violationOf(options); !reported[found] {
					reported[found] = true
					add(options...)
				}
			})
		})
	}
	return capped
}

// repeats is the average number of times that each error may be reported before the rest are ignored. Formatting one
// message takes about a microsecond.
const repeats = 20

// violation identifies a validation error by its message and location.
type violation struct {
	message string
	at      gqlerror.Location
}

func violationOf(options []core.ErrorOption) violation {
	var err gqlerror.Error
	for _, option := range options {
		option(&err)
	}
	found := violation{message: err.Message}
	if len(err.Locations) > 0 {
		found.at = err.Locations[0]
	}
	return found
}
