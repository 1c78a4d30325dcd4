package graph

import (
	"context"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

// Slot is the place of an operation among those that run at the same time.
type Slot interface {
	Release()
	// Retake takes the place again. It waits until one is free, and reports whether it got one before ctx ended.
	Retake(ctx context.Context) bool
}

// Wait is a field of Query that waits for a status before the operation is executed.
type Wait struct {
	Subject live.Subject
	Until   live.Until
	Timeout time.Duration

	// Reading has reached Until, if it is not nil. The operation uses it instead of reading the record again.
	Reading *live.Reading
	Err     error // why the record cannot be read, and will not be readable

	key string // the response key of the field
}

// MaxWait is the largest value of timeoutSeconds.
const MaxWait = 50

// awaitPrefix begins the names of the fields that wait.
const awaitPrefix = "await"

// awaited resolves a field that waits. While Waits prepares the operation it adds a Wait, later it returns the record.
func awaited[T upstream.Resource, S ~string](
	ctx context.Context, subject func(string) live.Subject, id string, statuses []S, since *string, seconds int32,
) (*T, error) {
	until, err := untilOf(statuses, since)
	switch {
	case err != nil:
		return nil, err
	case seconds < 1 || seconds > MaxWait:
		return nil, apierror.Input("timeoutSeconds", "must be 1 to 50")
	}
	request, l, key := RequestOf(ctx), loaderOf[T](ctx), graphql.GetFieldContext(ctx).Field.Alias
	if request.preparing {
		if l.valid(id) { // without a wait for any other id, the record's error is that of the query
			timeout := time.Duration(seconds) * time.Second
			request.waits = append(request.waits, &Wait{Subject: subject(l.canonical(id)), Until: until, Timeout: timeout, key: key})
		}
		return nil, nil //nolint:nilnil // not executed yet
	}
	for _, wait := range request.waits {
		if wait.key == key && wait.Err != nil {
			return nil, wait.Err
		}
	}
	return l.load(ctx, id)
}

// Waits returns the waits of the operation in ctx, which is not executed yet. Fields with invalid arguments wait for nothing.
func (s *Schema) Waits(ctx context.Context, lookups *Lookups) []*Wait {
	operation := graphql.GetOperationContext(ctx)
	if !selectsAwait(operation.Operation.SelectionSet) {
		return nil
	}
	request := RequestOf(ctx)
	request.loaders.request, request.loaders.lookups = request, lookups
	request.preparing = true
	defer func() { request.preparing = false }()
	// Errors are dropped: the execution finds them again.
	ctx = graphql.WithResponseContext(ctx, graphql.DefaultErrorPresenter, operation.RecoverFunc)
	for _, field := range graphql.CollectFields(operation, operation.Operation.SelectionSet, []string{s.Schema().Query.Name}) {
		if strings.HasPrefix(field.Name, awaitPrefix) {
			generated.ResolveRoot(ctx, s.ExecutableSchema, field)
		}
	}
	return request.waits
}

// selectsAwait reports whether a selection set may select a field that waits.
func selectsAwait(set ast.SelectionSet) bool {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			if strings.HasPrefix(selection.Name, awaitPrefix) {
				return true
			}
		case *ast.InlineFragment:
			if selectsAwait(selection.SelectionSet) {
				return true
			}
		case *ast.FragmentSpread:
			if selection.Definition != nil && selectsAwait(selection.Definition.SelectionSet) {
				return true
			}
		}
	}
	return false
}
