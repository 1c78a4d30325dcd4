package serve

import (
	"context"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/request"
	"pixgraph/upstream"
)

// Observer is notified of every operation, for metrics and traces. The goroutine of the operation calls it, so it must
// not block.
type Observer interface {
	// Begin is called before execution. The operation and its calls use the returned context.
	Begin(context.Context, Operation) context.Context
	// End is called with that context when the response is complete.
	End(context.Context, Operation, Result)
}

// Operation describes an operation without its variables and caller.
type Operation struct {
	Name string // at most 64 letters, digits and underscores; "" without a name
	Type string // "query", or "subscription" if it was rejected; "" if the request has no valid operation

	text string
}

// Document returns a short hash of the operation's document. Each call computes it.
func (o Operation) Document() string { return documentHash(o.text) }

// Result describes a completed operation.
type Result struct {
	Client     request.Client
	Untrusted  bool // whether persisted_only=on would have rejected it
	Deprecated bool // whether it selects deprecated fields
	Ran        bool // whether it was executed
	Outcome    Outcome
	Codes      []string // the distinct codes of its errors; nil without errors
	Broken     Broken
	Calls      int             // upstream calls
	Fetched    []graph.Fetched // records fetched by id, without kinds that have none
	Duration   time.Duration
}

// Broken counts the nulls in a response that replace invalid data of an API: a record, a part of one, or a whole body.
type Broken struct{ Core, Dispatcher int }

func operationOf(operation *graphql.OperationContext) Operation {
	seen := Operation{Name: operationName(operation), text: operation.RawQuery}
	if operation.Operation != nil {
		seen.Type = string(operation.Operation.Operation)
	}
	return seen
}

func resultOf(ctx context.Context, execution *graph.Execution, response *graphql.Response, duration time.Duration) Result {
	call := execution.Call
	result := Result{
		Client: call.Client, Untrusted: call.Untrusted, Deprecated: len(call.Deprecated) > 0,
		Calls: execution.Calls(), Fetched: execution.Fetched(), Duration: duration,
	}
	if response == nil && clientLeft(ctx) {
		result.Outcome = OutcomeClient
		return result
	}
	if response == nil {
		result.Codes, result.Outcome = []string{string(apierror.Internal)}, OutcomeGateway
		return result
	}
	if result.Ran = response.Data != nil; len(response.Errors) == 0 {
		return result
	}
	result.Codes = codes(response)
	for _, err := range response.Errors {
		e := apierror.Of(err)
		result.Outcome = max(result.Outcome, outcomeOf(e))
		switch {
		case e == nil || e.Code != apierror.InvalidResponse:
		case e.Service == string(upstream.Dispatcher):
			result.Broken.Dispatcher++
		default:
			result.Broken.Core++
		}
	}
	return result
}
