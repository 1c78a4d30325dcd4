package serve

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// maxSuggestions is how many errors of a rule have a suggestion: more than a person reads at once. Each takes 0.1 ms.
const maxSuggestions = 5

// addSuggestions adds names of the schema to the first errors of each rule of a set ("Did you mean …"). gqlparser's
// rules with suggestions compare names each time they visit a node, also for errors that are dropped afterwards: a
// document of 16 KB would take seconds.
func addSuggestions(set *rules.Rules, schema *ast.Schema) {
	suggestion := func(err *gqlerror.Error) { err.Message += didYouMean(schema, err.Message) }
	for name, rule := range set.GetInner() {
		set.ReplaceRule(name, func(events *core.Events, addError core.AddErrFunc) {
			suggested := 0
			rule(events, func(options ...core.ErrorOption) {
				if suggested++; suggested <= maxSuggestions {
					options = append(options, suggestion)
				}
				addError(options...)
			})
		})
	}
}

// unknownName matches the messages of gqlparser about unknown names, with the name and what it should be a part of: a
// type, or the argument of a field. A name beyond the 64 bytes that errors repeat gets no suggestion.
var unknownName = regexp.MustCompile(`^(?:Cannot query field|Field|Unknown argument|Value|Unknown type) "(\w{1,64})"` +
	`(?:(?: on type| is not defined by type| on field| does not exist in) "\W*(\w+)\.?(\w*)\W*"(?: enum)?)?\.$`)

// didYouMean returns the suggestion for a message, or "" if no valid name is similar.
func didYouMean(schema *ast.Schema, message string) string {
	match := unknownName.FindStringSubmatch(message)
	if match == nil {
		return ""
	}
	valid := slices.DeleteFunc(namesOf(schema, match[2], match[3]), func(name string) bool { return strings.HasPrefix(name, "__") })
	near := core.SuggestionList(match[1], valid)
	if len(near) == 0 {
		return ""
	}
	return " Did you mean " + core.QuotedOrList(near...) + "?"
}

// namesOf returns the arguments of a field of a type, the fields or values of a type without a field, or the types.
func namesOf(schema *ast.Schema, typeName, field string) (names []string) {
	definition := schema.Types[typeName]
	if definition == nil {
		return slices.Sorted(maps.Keys(schema.Types))
	}
	if of := definition.Fields.ForName(field); of != nil {
		for _, argument := range of.Arguments {
			names = append(names, argument.Name)
		}
		return names
	}
	for _, of := range definition.Fields {
		names = append(names, of.Name)
	}
	for _, value := range definition.EnumValues {
		names = append(names, value.Name)
	}
	return names
}
