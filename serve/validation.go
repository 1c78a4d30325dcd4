package serve

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/execute/documents"
	"pixgraph/graph/guard/limits"
)

// validationRules returns the rules by which gqlgen validates a document before execution: those of the specification,
// with rules that gqlparser lacks, and with a bound on the number of errors. Errors suggest names of the schema only if
// clients can read it through introspection.
func validationRules(schema *ast.Schema, introspection bool) *rules.Rules {
	set := rules.NewDefaultRules()
	for name, replacement := range map[string]core.Rule{
		rules.FieldsOnCorrectTypeRule.Name: rules.FieldsOnCorrectTypeRuleWithoutSuggestions,
		rules.ScalarLeafsRule.Name:         rules.ScalarLeafsRuleWithoutSuggestions,
		rules.KnownArgumentNamesRule.Name:  rules.KnownArgumentNamesRuleWithoutSuggestions,
		rules.KnownTypeNamesRule.Name:      rules.KnownTypeNamesRuleWithoutSuggestions,
		rules.ValuesOfCorrectTypeRule.Name: rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
	} {
		set.RemoveRule(name)
		set.AddRule(replacement.Name, replacement.RuleFunc)
	}
	set.ReplaceRule(rules.UniqueDirectivesPerLocationRule.Name, uniqueDirectives)
	set.AddRule("LiteralsOfLeafTypes", literalsOfLeafTypes)
	set.AddRule("WholeCharacters", wholeCharacters)
	set.AddRule("FragmentsHaveNoVariables", fragmentsHaveNoVariables)
	set.AddRule("DeferLabels", deferLabels)
	set = limits.CapErrors(set, limits.DefaultErrors)
	if introspection {
		addSuggestions(set, schema)
	}
	return set
}

// builtIn are the built-in scalars, whose literals are defined in the GraphQL specification, section 3.5.
var builtIn = []string{"Int", "Float", "String", "Boolean", "ID"}

// literalsOfLeafTypes rejects literals that ValuesOfCorrectType accepts although they are invalid for every leaf type:
// an object for a scalar or an enum, an Int beyond 32 bits, a number that Go cannot represent. gqlgen panics on some of
// them. Values within an object of a scalar have no type.
func literalsOfLeafTypes(events *core.Events, addError core.AddErrFunc) {
	events.OnValue(func(_ *core.Walker, value *ast.Value) {
		name, fits := "", true
		if value.Definition != nil && value.ExpectedType != nil {
			name = value.Definition.Name
		}
		switch {
		case value.Kind == ast.ObjectValue && name != "":
			fits = value.Definition.Kind != ast.Enum && !slices.Contains(builtIn, name)
		case value.Kind == ast.IntValue && name == "Int":
			_, err := strconv.ParseInt(value.Raw, 10, 32)
			fits = err == nil
		case value.Kind == ast.IntValue:
			_, err := strconv.ParseInt(value.Raw, 10, 64)
			fits = err == nil
		case value.Kind == ast.FloatValue:
			_, err := strconv.ParseFloat(value.Raw, 64)
			fits = err == nil
		}
		if !fits {
			addError(core.Message("Expected value of type %q, found another literal.", cmp.Or(name, "Float")), core.At(value.Position))
		}
	})
}

// wholeCharacters rejects strings with an unpaired surrogate escape, anywhere in the document. gqlparser decodes it as
// U+FFFD (GraphQL specification, section 2.9.4).
func wholeCharacters(events *core.Events, addError core.AddErrFunc) {
	events.OnOperation(func(walker *core.Walker, operation *ast.OperationDefinition) {
		if operation == walker.Document.Operations[0] {
			for _, at := range HalfPairs(operation.Position.Src) {
				addError(core.Message(HalfPair), core.At(at))
			}
		}
	})
}

// HalfPair is the error of a string with an unpaired surrogate escape.
const HalfPair = "Expected a string of whole characters, found half a surrogate pair."

// HalfPairs returns the positions of the strings with an unpaired surrogate escape.
func HalfPairs(source *ast.Source) (found []*ast.Position) {
	if !strings.Contains(source.Input, `\u`) {
		return nil
	}
	characters := []rune(source.Input) // positions count them
	tokens := lexer.New(source)
	for token, err := tokens.ReadToken(); err == nil && token.Kind != lexer.EOF; token, err = tokens.ReadToken() {
		if token.Kind != lexer.String || !strings.ContainsRune(token.Value, utf8.RuneError) {
			continue
		}
		begin, end := min(token.Pos.Start, len(characters)), min(token.Pos.End, len(characters))
		if hasHalfPair(string(characters[begin:end])) {
			found = append(found, &token.Pos)
		}
	}
	return found
}

var (
	// wholeEscapes matches the escape of a backslash, after which no escape begins, and that of a whole surrogate pair.
	wholeEscapes = regexp.MustCompile(`\\(\\|u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2})`)
	halfEscape   = regexp.MustCompile(`\\u[dD][89a-fA-F]`)
)

// hasHalfPair reports whether a string literal has an unpaired surrogate escape.
func hasHalfPair(literal string) bool {
	return halfEscape.MatchString(wholeEscapes.ReplaceAllString(literal, " "))
}

// fragmentsHaveNoVariables rejects variable definitions of fragments. gqlparser parses this draft syntax, but nothing
// defines their values.
func fragmentsHaveNoVariables(events *core.Events, addError core.AddErrFunc) {
	events.OnFragment(func(_ *core.Walker, fragment *ast.FragmentDefinition) {
		if len(fragment.VariableDefinition) > 0 {
			addError(core.Message("Fragment %q must not define variables.", fragment.Name), core.At(fragment.Position))
		}
	})
}

// deferLabels rejects a label of @defer that is a variable, or that is not unique in the document. The same directive
// may be visited several times, because gqlparser visits a fragment for each operation that spreads it.
func deferLabels(events *core.Events, addError core.AddErrFunc) {
	labelled := map[string]*ast.Directive{}
	events.OnDirective(func(_ *core.Walker, directive *ast.Directive) {
		label := directive.Arguments.ForName("label")
		if directive.Name != documents.Defer || label == nil {
			return
		}
		if label.Value.Kind != ast.StringValue && label.Value.Kind != ast.BlockValue {
			addError(core.Message("The label of @defer must be a string."), core.At(directive.Position))
			return
		}
		if other := labelled[label.Value.Raw]; other != nil && other != directive {
			addError(core.Message("The label of @defer must be unique in the document."), core.At(directive.Position))
		}
		labelled[label.Value.Raw] = directive
	})
}

// uniqueDirectives is gqlparser's rule of that name, but it ignores unknown directives, which have an error already.
func uniqueDirectives(events *core.Events, addError core.AddErrFunc) {
	events.OnDirectiveList(func(_ *core.Walker, directives []*ast.Directive) {
		seen := map[string]bool{}
		for _, directive := range directives {
			repeated := seen[directive.Name]
			if seen[directive.Name] = true; repeated && directive.Definition != nil && !directive.Definition.IsRepeatable {
				addError(core.Message("The directive \"@%s\" can only be used once at this location.", directive.Name), core.At(directive.Position))
			}
		}
	})
}
