package limits_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/apierror"
	"pixgraph/graph/guard/limits"
	"pixgraph/request"
)

// TestExecutor: with gqlgen's executor and the generated schema, a rejected operation has an error that errors.As
// finds, and a client that requests the cost gets it.
func TestExecutor(t *testing.T) {
	withCost := http.Header{limits.HeaderCost: {"1"}}
	tests := []struct {
		name   string
		params graphql.RawParams
		limit  string
		cost   any
	}{
		{"accepted", graphql.RawParams{Query: "{__typename}"}, "", nil},
		{"accepted, with its cost", graphql.RawParams{Query: "{__typename}", Headers: withCost}, "", request.Cost{UpstreamCalls: 0, Max: 10}},
		{"another value of the header", graphql.RawParams{Query: "{__typename}", Headers: http.Header{limits.HeaderCost: {"yes"}}}, "", nil},
		{"too expensive", graphql.RawParams{
			Query: "{transaction(id:1){notifications{__typename}}}", Headers: withCost,
		}, limits.LimitCost, request.Cost{UpstreamCalls: 51, Max: 10}},
		{"too expensive by variables", graphql.RawParams{
			Query: "query($ids:[ID!]!){notifications(ids:$ids){id}}", Headers: withCost, Variables: ids(11),
		}, limits.LimitCost, request.Cost{UpstreamCalls: 11, Max: 10}},
		{"too deep", graphql.RawParams{Query: strings.Repeat("{a", 20) + strings.Repeat("}", 20), Headers: withCost}, limits.LimitDepth, nil},
	}
	var cost request.Cost
	exec := newExecutor(t, newLimits(t, limits.Config{MaxCost: 10, Cost: stored(&cost)}))
	var presented error
	exec.SetErrorPresenter(func(_ context.Context, err error) *gqlerror.Error {
		presented = err
		return &gqlerror.Error{Message: "presented"}
	})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			presented, cost = nil, request.Cost{}
			ctx := graphql.StartOperationTrace(t.Context())
			operation, errs := exec.CreateOperationContext(ctx, &tt.params)
			var response *graphql.Response
			if errs != nil {
				response = exec.DispatchError(graphql.WithOperationContext(ctx, operation), errs)
			} else {
				responses, ctx := exec.DispatchOperation(ctx, operation)
				response = responses(ctx)
			}
			if got := exceeded(t, presented); got != tt.limit {
				t.Errorf("rejected by %q, want %q", got, tt.limit)
			}
			if got := response.Extensions["cost"]; got != tt.cost {
				t.Errorf("cost %v, want %v", got, tt.cost)
			}
		})
	}
}

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

// TestCapErrorsInExecutor: the cap also holds for the rules that the executor adds.
func TestCapErrorsInExecutor(t *testing.T) {
	exec := newExecutor(t, newLimits(t, limits.Config{}))
	for _, document := range []string{
		"{" + numbered(100, "...f%d ") + "}",                    // unknown fragments
		"{deposits{" + numbered(90, "a%d ") + "}}",              // unknown fields
		"{deposits{" + numbered(90, "a%d:totalCount{b}") + "}}", // scalars with fields
	} {
		_, errs := exec.CreateOperationContext(graphql.StartOperationTrace(t.Context()), &graphql.RawParams{Query: document})
		if len(errs) == 0 || len(errs) > limits.DefaultErrors {
			t.Errorf("%d errors", len(errs))
		}
		var e *apierror.Error
		if errors.As(errs, &e) {
			t.Errorf("rejected before validation: %v", e)
		}
	}
}
