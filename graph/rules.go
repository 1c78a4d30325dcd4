package graph

import (
	"slices"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/limits"
)

// validationRules makes the rules that documents are validated by: those of the specification, without the ones that
// answer with names of the schema ("Did you mean …"), with what gqlparser leaves out of them, and with a bound on the faults
// they tell.
func validationRules() *rules.Rules {
	set := rules.NewDefaultRules()
	for loud, quiet := range map[string]core.Rule{
		rules.FieldsOnCorrectTypeRule.Name: rules.FieldsOnCorrectTypeRuleWithoutSuggestions,
		rules.ScalarLeafsRule.Name:         rules.ScalarLeafsRuleWithoutSuggestions,
		rules.KnownArgumentNamesRule.Name:  rules.KnownArgumentNamesRuleWithoutSuggestions,
		rules.KnownTypeNamesRule.Name:      rules.KnownTypeNamesRuleWithoutSuggestions,
		rules.ValuesOfCorrectTypeRule.Name: rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
	} {
		set.RemoveRule(loud)
		set.AddRule(quiet.Name, quiet.RuleFunc)
	}
	set.AddRule("LiteralsOfLeafTypes", literalsOfLeafTypes)
	set.AddRule("FragmentsHaveNoVariables", fragmentsHaveNoVariables)
	return limits.CapErrors(set, limits.DefaultErrors)
}

// builtIn are the scalars of the specification, which define their literals (section 3.5).
var builtIn = []string{"Int", "Float", "String", "Boolean", "ID"}

// literalsOfLeafTypes refuses the literals that ValuesOfCorrectType lets through although no leaf type has them: an object
// for a scalar or an enum, an Int beyond 32 bits, a number that Go cannot hold. gqlgen panics on some of them.
func literalsOfLeafTypes(events *core.Events, addError core.AddErrFunc) {
	events.OnValue(func(_ *core.Walker, value *ast.Value) {
		if value.Definition == nil || value.ExpectedType == nil {
			return
		}
		name, fits := value.Definition.Name, true
		switch {
		case value.Kind == ast.ObjectValue:
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
			addError(core.Message("Expected value of type %q, found another literal.", name), core.At(value.Position))
		}
	})
}

// fragmentsHaveNoVariables refuses the variables of fragments, a draft that gqlparser parses: nothing would define them.
func fragmentsHaveNoVariables(events *core.Events, addError core.AddErrFunc) {
	events.OnFragment(func(_ *core.Walker, fragment *ast.FragmentDefinition) {
		if len(fragment.VariableDefinition) > 0 {
			addError(core.Message("Fragment %q must not define variables.", fragment.Name), core.At(fragment.Position))
		}
	})
}
