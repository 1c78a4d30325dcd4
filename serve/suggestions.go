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

// unknownNames are the messages of gqlparser about unknown names, with the names that are valid in their place. A name
// beyond the 64 bytes that errors repeat gets no suggestion.
var unknownNames = []struct {
	message *regexp.Regexp // captures the unknown name, and what it should be a part of
	valid   func(schema *ast.Schema, of string) []string
}{
	{regexp.MustCompile(`^Cannot query field "(\w{1,64})" on type "(\w+)"\.$`), fieldNames},
	{regexp.MustCompile(`^Field "(\w{1,64})" is not defined by type "(\w+)"\.$`), fieldNames},
	{regexp.MustCompile(`^Unknown argument "(\w{1,64})" on field "(\w+\.\w+)"\.$`), argumentNames},
	{regexp.MustCompile(`^Value "(\w{1,64})" does not exist in "\W*(\w+)\W*" enum\.$`), valueNames},
	{regexp.MustCompile(`^Unknown type "(\w{1,64})"(\.)$`), typeNames},
}

// didYouMean returns the suggestion for a message, or "" if no valid name is similar.
func didYouMean(schema *ast.Schema, message string) string {
	for _, unknown := range unknownNames {
		if match := unknown.message.FindStringSubmatch(message); match != nil {
			valid := slices.DeleteFunc(unknown.valid(schema, match[2]), func(name string) bool { return strings.HasPrefix(name, "__") })
			if near := core.SuggestionList(match[1], valid); len(near) > 0 {
				return " Did you mean " + core.QuotedOrList(near...) + "?"
			}
		}
	}
	return ""
}

func fieldNames(schema *ast.Schema, of string) (names []string) {
	if definition := schema.Types[of]; definition != nil {
		for _, field := range definition.Fields {
			names = append(names, field.Name)
		}
	}
	return names
}

// argumentNames returns the arguments of a field such as "Query.deposits".
func argumentNames(schema *ast.Schema, of string) (names []string) {
	parent, name, _ := strings.Cut(of, ".")
	if definition := schema.Types[parent]; definition != nil {
		if field := definition.Fields.ForName(name); field != nil {
			for _, argument := range field.Arguments {
				names = append(names, argument.Name)
			}
		}
	}
	return names
}

func valueNames(schema *ast.Schema, of string) (names []string) {
	if definition := schema.Types[of]; definition != nil {
		for _, value := range definition.EnumValues {
			names = append(names, value.Name)
		}
	}
	return names
}

func typeNames(schema *ast.Schema, _ string) []string { return slices.Sorted(maps.Keys(schema.Types)) }
