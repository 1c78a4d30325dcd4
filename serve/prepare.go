package serve

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/guard/variables"
	"pixgraph/request"
	"pixgraph/serve/run"
)

// Prepare implements run.Gateway: all steps of an operation before its execution, one after the other.
func (g *Gateway) Prepare(_ context.Context, call *request.Call, params *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	operation := &graphql.OperationContext{
		DisableIntrospection: !g.config.Introspection, RecoverFunc: g.recovered, ResolverMiddleware: boundField, RootResolverMiddleware: rootField,
	}
	if err := g.persisted.Resolve(call, params); err != nil {
		return operation, gqlerror.List{run.AsGraphQL(err)}
	}
	if !call.Tool { // whose request was charged
		if err := g.limited.Charge(call); err != nil {
			return operation, gqlerror.List{run.AsGraphQL(err)}
		}
	}
	if reasons := g.readDocument(call, params, operation); len(reasons) > 0 {
		return operation, reasons
	}
	operation.RawQuery, operation.OperationName, operation.Extensions = params.Query, params.OperationName, params.Extensions
	operation.Doc = call.Document
	if operation.Operation = operation.Doc.Operations.ForName(params.OperationName); operation.Operation == nil {
		return operation, gqlerror.List{errNoOperation}
	}
	var err error
	if operation.Variables, err = validator.VariableValues(g.schema.Schema(), operation.Operation, params.Variables); err != nil {
		return operation, invalid(gqlerror.List{err.(*gqlerror.Error)}) //nolint:errorlint // as gqlgen does
	}
	if err := variables.Check(g.schema.Schema(), operation); err != nil {
		return operation, gqlerror.List{err}
	}
	if err := g.limited.Cost(call, operation); err != nil {
		return operation, gqlerror.List{run.AsGraphQL(err)}
	}
	return operation, nil
}

// readDocument sets the document of a call: one that is cached or, if it is within the limits and valid, a new one,
// which it adds to the cache. The call is charged for a new one until it ends, even if the document is evicted earlier.
func (g *Gateway) readDocument(call *request.Call, params *graphql.RawParams, operation *graphql.OperationContext) gqlerror.List {
	var cached bool
	if call.Document, cached = g.parsed.Get(call.Share(), params.Query); cached {
		return nil
	}
	document, err := g.limited.Measure(params.Query)
	if err != nil {
		return gqlerror.List{run.AsGraphQL(err)}
	}
	operation.RawQuery, operation.OperationName = params.Query, params.OperationName // also logged for an invalid document
	if len(document.Operations) == 0 {
		return invalid(gqlerror.List{gqlerror.Errorf("no operation provided")})
	}
	if errs := validator.ValidateWithRules(g.schema.Schema(), document, g.rules()); len(errs) > 0 {
		return invalid(errs)
	}
	_ = call.Account.Write(0, g.parsed.Add(call.Share(), params.Query, document)) // without enough memory, the response fails
	call.Document = document
	return nil
}

// rules returns the rules for the validation of one document.
func (g *Gateway) rules() *rules.Rules {
	return validationRules(g.schema.Schema(), g.config.Introspection)
}

// errNoOperation rejects a document without the operation that is to be executed. The runner says which one is missing.
var errNoOperation = gqlerror.Errorf("operation not found")

// invalid marks errors of a document or of variables.
func invalid(errs gqlerror.List) gqlerror.List {
	for _, err := range errs {
		errcode.Set(err, errcode.ValidationFailed)
	}
	return errs
}

// rootField is the interceptor of the root fields that gqlgen executes.
func rootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) }
