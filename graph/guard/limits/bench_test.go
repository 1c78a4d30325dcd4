package limits_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/generated"
	"pixgraph/graph/guard/limits"
)

// quietRules are the rules that the gateway validates with.
func quietRules() *rules.Rules {
	set := rules.NewDefaultRules()
	for name, rule := range map[string]core.Rule{
		rules.FieldsOnCorrectTypeRule.Name: rules.FieldsOnCorrectTypeRuleWithoutSuggestions,
		rules.ScalarLeafsRule.Name:         rules.ScalarLeafsRuleWithoutSuggestions,
		rules.KnownArgumentNamesRule.Name:  rules.KnownArgumentNamesRuleWithoutSuggestions,
		rules.KnownTypeNamesRule.Name:      rules.KnownTypeNamesRuleWithoutSuggestions,
		rules.ValuesOfCorrectTypeRule.Name: rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
	} {
		set.RemoveRule(name)
		set.AddRule(rule.Name, rule.RuleFunc)
	}
	return limits.CapErrors(set, limits.DefaultErrors)
}

// BenchmarkHostile measures hostile documents up to their execution. Only introspection is executed.
func BenchmarkHostile(b *testing.B) {
	rep := strings.Repeat
	introspection, err := os.ReadFile("testdata/introspection.graphql")
	must(b, err)
	benchmarks := []struct{ name, document string }{
		{"36KB of one field", "{transaction(id:1){" + rep("id ", 12_000) + "}}"},
		{"900 of one field", "{transaction(id:1){" + rep("id ", 900) + "}}"},
		{"50 of each field", "{transaction(id:1){" + rep("id amount status createdAt acquirer metadata updatedAt endToEnd payer{name} ", 50) + "}}"},
		{"10000 unknown directives", "{deposits{totalCount" + rep("@x", 10_000) + "}}"},
		{"50 unknown directives", "{deposits{totalCount" + rep("@x", 50) + "}}"},
		{"500 unknown fields", "{" + numbered(49, "a%d{b c d e f g h} ") + "}"},
		{"chain of fragments", chain(49, "$ __typename deposits{totalCount}")},
		{"chain of invalid fragments", chain(21, "$"+numbered(11, " n%d"))},
		{"chain of invalid values", chain(17, "$ deposits(filter:{status:["+rep(`"" `, 13)+"]})")},
		{"nested inline fragments", "{" + rep("...{", 24) + rep("__typename ", 20) + rep("}", 24) + "}"},
		{"cyclic fragments", "{" + numbered(40, "...f%d ") + "}" + numbered(40, "fragment f%d on Query{...f%[1]d ...f0 ...f1 ...f2}")},
		{"exponential fragments", chain(49, "$ $ $")},
		{"fragments that spread all others", dense(14)},
		{"strings", "{withdrawal(id:\"" + rep(`\u00e9`, 5000) + "\"){id}}"},
		{"comments", "{a " + rep("#"+rep("x", 30)+"\n", 900) + "}"},
		{"commas", "{a " + rep(",", 30_000) + "}"},
		{"variables", "query(" + numbered(100, "$v%d:Int ") + "){" + numbered(49, "a%d:deposits(page:$v99 perPage:$v98 first:$v97){totalCount}") + "}"},
		{"enums", "{deposits(filter:{status:[" + rep("PAID ", 950) + "]}){totalCount}}"},
		{"invalid enums", "{deposits(filter:{status:[" + rep("PAD ", 950) + "]}){totalCount}}"},
		{"arguments", "{" + rep("deposits("+numbered(30, "a%d:1 ")+"){totalCount}", 10) + "}"},
		{"full introspection", string(introspection)},
		{"introspection, two times", strings.Replace(string(introspection), "__schema {", "b: __schema { types { ...FullType } } __schema {", 1)},
		{"introspection with aliases", "{__schema{types{fields{" + numbered(99, "n%d:name ") + "}}}}"},
		{"introspection of introspection", "{__schema{types{fields{type{fields{name type{name ofType{name fields{name}}} args{name type{name}}}}}}}}"},
	}
	for _, bb := range benchmarks {
		b.Run(bb.name, func(b *testing.B) {
			schema := generated.NewExecutableSchema(generated.Config{})
			l, err := limits.New(limits.Config{}, schema.Schema())
			must(b, err)
			for b.Loop() {
				run(l, schema, bb.document)
			}
		})
	}
}

// run measures and validates a document as package serve does. It does not execute it, except introspection.
func run(l *limits.Limits, schema graphql.ExecutableSchema, document string) {
	parsed, err := l.Measure(document)
	if err != nil || len(validator.ValidateWithRules(schema.Schema(), parsed, quietRules())) > 0 || !strings.Contains(document, "__schema") {
		return // there are no resolvers
	}
	exec := executor.New(schema)
	exec.Use(extension.Introspection{})
	operation, errs := exec.CreateOperationContext(graphql.StartOperationTrace(context.Background()), &graphql.RawParams{Query: document})
	if errs == nil {
		responses, ctx := exec.DispatchOperation(context.Background(), operation)
		responses(ctx)
	}
}
