package limits

import (
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// DefaultErrors is how many faults of a document validation tells: more than anyone reads, and few to make.
const DefaultErrors = 50

// CapErrors makes a set of rules that stops telling faults after so many of all rules together. gqlparser has no such
// bound: a document of a thousand tokens can have 25,000 faults, whose texts take longer to make than all of validation.
//
// The result is for one validation, so SetValidationRulesFn needs a function that makes one each time. The set must have
// the rules under the names that the executor would put them by itself: it replaces FieldsOnCorrectType and ScalarLeafs
// by those WithoutSuggestions when suggestions are off, unless they are there already.
func CapErrors(set *rules.Rules, errors int) *rules.Rules {
	left := errors
	capped := &rules.Rules{}
	for name, rule := range set.GetInner() {
		capped.AddRule(name, func(observers *core.Events, add core.AddErrFunc) {
			rule(observers, func(options ...core.ErrorOption) {
				if left > 0 {
					left--
					add(options...)
				}
			})
		})
	}
	return capped
}
