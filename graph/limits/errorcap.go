package limits

import (
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// DefaultErrors is how many faults of a document validation tells: more than anyone reads, and few to make.
const DefaultErrors = 50

// CapErrors makes a set of rules that stops telling faults after so many of all rules together, and tells each once.
// gqlparser has no such bound: a document of a thousand tokens can have 25,000 faults, whose texts take longer to make than
// all of validation. And it tells a fault in a fragment as often as it walks by: in each operation, and for the fragment.
//
// The result is for one validation, so SetValidationRulesFn needs a function that makes one each time. The set must have
// the rules under the names that the executor would put them by itself: it replaces FieldsOnCorrectType and ScalarLeafs
// by those WithoutSuggestions when suggestions are off, unless they are there already.
func CapErrors(set *rules.Rules, errors int) *rules.Rules {
	told, attempts := map[fault]bool{}, repeats*errors
	capped := &rules.Rules{}
	for name, rule := range set.GetInner() {
		capped.AddRule(name, func(observers *core.Events, add core.AddErrFunc) {
			rule(observers, func(options ...core.ErrorOption) {
				if attempts--; attempts < 0 || len(told) == errors {
					return
				}
				if found := faultOf(options); !told[found] {
					told[found] = true
					add(options...)
				}
			})
		})
	}
	return capped
}

// repeats is how often each fault may be found again, on average, before no more are looked at: a text takes a microsecond.
const repeats = 20

// fault is what an error says, and where.
type fault struct {
	message string
	at      gqlerror.Location
}

func faultOf(options []core.ErrorOption) fault {
	var err gqlerror.Error
	for _, option := range options {
		option(&err)
	}
	found := fault{message: err.Message}
	if len(err.Locations) > 0 {
		found.at = err.Locations[0]
	}
	return found
}
