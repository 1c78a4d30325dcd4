package pipeline

import (
	"context"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/upstream"
)

// Observer is told of every operation, for metrics and traces. It is called by the goroutine of the operation, and must
// not block.
type Observer interface {
	// Begin is called before an operation runs. What is done for the operation, its calls too, has the context that is
	// returned.
	Begin(context.Context, Operation) context.Context
	// End is called with that context when the answer is there.
	End(context.Context, Operation, Result)
}

// Operation is what there is to tell of an operation: nothing that it was asked with, nor for whom.
type Operation struct {
	Name string // at most 64 letters, digits and underscores; "" where it has none
	Type string // query; "" where no operation was found in what was sent

	text string
}

// Document is a short hash of the operation's document. It is computed anew by each call.
func (o Operation) Document() string { return documentHash(o.text) }

// Result is how an operation ended.
type Result struct {
	Client   graph.Client
	Ran      bool     // whether it was not refused before
	Codes    []string // of its errors, each once; nil where there are none
	Broken   Broken
	Calls    int             // of the APIs
	Fetched  []graph.Fetched // by their ids, of each kind of which a record was
	Duration time.Duration
}

// Broken counts the nulls of an answer that stand for something that an API sent and should not have: a record, a part of
// one, or a whole body.
type Broken struct{ Core, Dispatcher int }

func operationOf(ctx context.Context) Operation {
	operation := graphql.GetOperationContext(ctx)
	seen := Operation{Name: operationName(operation), text: operation.RawQuery}
	if operation.Operation != nil {
		seen.Type = string(operation.Operation.Operation)
	}
	return seen
}

func resultOf(request *graph.Request, response *graphql.Response, duration time.Duration) Result {
	result := Result{Client: request.Client, Calls: request.Calls(), Fetched: request.Fetched(), Duration: duration}
	if response == nil {
		result.Codes = []string{string(apierror.Internal)}
		return result
	}
	if result.Ran = response.Data != nil; len(response.Errors) == 0 {
		return result
	}
	result.Codes = codes(response)
	for _, err := range response.Errors {
		switch e := apierror.Of(err); {
		case e == nil || e.Code != apierror.InvalidResponse:
		case e.Service == string(upstream.Dispatcher):
			result.Broken.Dispatcher++
		default:
			result.Broken.Core++
		}
	}
	return result
}
