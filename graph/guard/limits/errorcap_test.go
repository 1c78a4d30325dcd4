package limits_test

import (
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/guard/limits"
)

// TestCapErrors: a document with many errors has as many as the cap, and a valid one has no errors.
func TestCapErrors(t *testing.T) {
	schema := loadSchema(t)
	invalid := "{" + numbered(300, "a%d ") + "}"
	for _, limit := range []int{1, 7, 300} {
		document, err := parser.ParseQuery(&ast.Source{Input: invalid})
		must(t, err)
		errs := validator.ValidateWithRules(schema, document, limits.CapErrors(rules.NewDefaultRules(), limit))
		if len(errs) != limit {
			t.Errorf("%d errors, want %d", len(errs), limit)
		}
	}
	document, err := parser.ParseQuery(&ast.Source{Input: "{deposits{totalCount}}"})
	must(t, err)
	if errs := validator.ValidateWithRules(schema, document, limits.CapErrors(rules.NewDefaultRules(), 1)); len(errs) != 0 {
		t.Error(errs)
	}
}

// TestCapErrorsOfRules: the cap holds for all rules of the gateway.
func TestCapErrorsOfRules(t *testing.T) {
	l := newLimits(t, limits.Config{})
	for _, document := range []string{
		"{" + numbered(100, "...f%d ") + "}",                    // unknown fragments
		"{deposits{" + numbered(90, "a%d ") + "}}",              // unknown fields
		"{deposits{" + numbered(90, "a%d:totalCount{b}") + "}}", // scalars with fields
	} {
		parsed, err := l.Measure(document)
		must(t, err)
		if errs := validator.ValidateWithRules(loadSchema(t), parsed, quietRules()); len(errs) == 0 || len(errs) > limits.DefaultErrors {
			t.Errorf("%d errors", len(errs))
		}
	}
}
