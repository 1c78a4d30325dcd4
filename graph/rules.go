package graph

import (
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/limits"
)

// validationRules makes the rules that documents are validated by: those of the specification, without the ones that
// answer with names of the schema ("Did you mean …"), and with a bound on the faults they tell.
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
	return limits.CapErrors(set, limits.DefaultErrors)
}
