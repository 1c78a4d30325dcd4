package graph

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/generated"
	"pixgraph/graph/syntax"
	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

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

// awaited resolves a field that waits, after the wait.
func awaited[T upstream.Resource, S ~string](ctx context.Context, id string, statuses []S, since *string, seconds int32) (*T, error) {
	if _, err := untilOf(statuses, since); err != nil {
		return nil, err
	}
	if _, err := waitTimeout(seconds); err != nil {
		return nil, err
	}
	key := graphql.GetFieldContext(ctx).Field.Alias
	for _, wait := range ExecutionOf(ctx).Waits {
		if wait.key == key && wait.Err != nil {
			return nil, wait.Err
		}
	}
	return loaded[T](ctx, id)
}

// waitTimeout returns the value of timeoutSeconds.
func waitTimeout(seconds int32) (time.Duration, error) {
	if seconds < 1 || seconds > MaxWait {
		return 0, apierror.Input("timeoutSeconds", fmt.Sprintf("must be 1 to %d", MaxWait))
	}
	return time.Duration(seconds) * time.Second, nil
}

// Waits returns the waits of an operation, which is also in ctx and not executed yet. A field with invalid arguments
// waits for nothing: its error is that of the execution.
func (s *Schema) Waits(ctx context.Context, operation *graphql.OperationContext) (waits []*Wait) {
	if !selectsAwait(operation.Operation.SelectionSet) {
		return nil
	}
	for _, field := range graphql.CollectFields(operation, operation.Operation.SelectionSet, []string{s.Schema().Query.Name}) {
		if !strings.HasPrefix(field.Name, awaitPrefix) {
			continue
		}
		wait := &Wait{key: field.Alias}
		err := generated.WithArguments(ctx, s.ExecutableSchema, field, func(arguments map[string]any) (err error) {
			if wait.Timeout, err = waitTimeout(arguments["timeoutSeconds"].(int32)); err == nil {
				wait.Subject, wait.Until, err = s.Lookups.watchOf(field.Name)(arguments)
			}
			return err
		})
		if err == nil {
			waits = append(waits, wait)
		}
	}
	return waits
}

// selectsAwait reports whether a selection set may select a field that waits.
func selectsAwait(set ast.SelectionSet) (selects bool) {
	syntax.Fields(set, nil, func(field *ast.Field) { selects = selects || strings.HasPrefix(field.Name, awaitPrefix) })
	return selects
}
