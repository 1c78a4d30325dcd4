package graph

import (
	"context"
	"slices"
	"strings"
	"unsafe"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/documents"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// Subscription is a subscription that is ready to begin. Its resolver determined what it watches.
type Subscription struct {
	Subject live.Subject
	Until   live.Until
	Key     string // the response key of its field
	// Query is the query with the same field, which is executed for each event.
	Query *graphql.OperationContext
}

// unknownStatus is the value of the enums for statuses that the schema does not list.
const unknownStatus = "UNKNOWN"

// watchRecord resolves a field of Subscription with one record. Its channel is not used: package live notifies the stream.
func watchRecord[T upstream.Resource, S ~string](
	ctx context.Context, subject func(string) live.Subject, id string, statuses []S, since *string,
) (<-chan *T, error) {
	until, err := untilOf(statuses, since)
	if err != nil {
		return nil, err
	}
	l := loaderOf[T](ctx)
	if !l.valid(id) {
		return nil, apierror.Input("id", "must be the id of a "+l.noun)
	}
	RequestOf(ctx).subscribed = &Subscription{Subject: subject(l.canonical(id)), Until: until}
	return nil, nil //nolint:nilnil // the channel is not used
}

// untilOf returns what the arguments until and since wait for.
func untilOf[S ~string](statuses []S, since *string) (until live.Until, err error) {
	if statuses != nil && len(statuses) == 0 || slices.Contains(statuses, unknownStatus) {
		return until, apierror.Input("until", "must list at least one status, and not UNKNOWN")
	}
	for _, status := range statuses {
		if !slices.Contains(until.Statuses, string(status)) { // a stream holds each once, however often it is listed
			until.Statuses = append(until.Statuses, string(status))
		}
	}
	if since != nil {
		until.Since, _ = upstream.ParseDateTime(*since) // the scalar has checked it
	}
	return until, nil
}

// watchPage resolves a field of Subscription with a page of records.
func watchPage[T paging.Record, F paging.Filter](
	ctx context.Context, subject func(F, client.PageRequest) live.Subject, filter F, arguments paging.Arguments,
) (<-chan *paging.Connection[T], error) {
	page, err := paging.First(filter, arguments)
	if err != nil {
		return nil, err
	}
	RequestOf(ctx).subscribed = &Subscription{Subject: subject(filter, page)}
	return nil, nil //nolint:nilnil // the channel is not used
}

// Subscribe resolves the subscription in ctx. It makes no call.
func (s *Schema) Subscribe(ctx context.Context, lookups *Lookups, cache *documents.Cache) (*Subscription, error) {
	operation := graphql.GetOperationContext(ctx)
	field, err := s.SubscribedField(operation)
	if err != nil {
		return nil, err
	}
	request := RequestOf(ctx)
	request.loaders.request, request.loaders.lookups = request, lookups
	if err := generated.ResolveSubscription(ctx, s.ExecutableSchema, field); err != nil {
		return nil, err
	}
	subscription := request.subscribed
	subscription.Key = field.Alias
	key := documents.PlanKey{Operation: operation.Operation, Conditions: "query"}
	query, ok := cache.Plan(operation.Doc, key)
	if !ok {
		query = s.queryOf(operation.Operation, field)
		cache.Keep(operation.Doc, key, query, int(unsafe.Sizeof(ast.Field{})+unsafe.Sizeof(ast.OperationDefinition{})))
	}
	subscription.Query = projection.With(operation, query.(*ast.OperationDefinition))
	return subscription, nil
}

// SubscribedField returns the field of a subscription, with its fragments collected. It reads no variables.
func (s *Schema) SubscribedField(operation *graphql.OperationContext) (field graphql.CollectedField, err error) {
	set := operation.Operation.SelectionSet
	if !conditional(set) {
		fields := graphql.CollectFields(operation, set, []string{s.Schema().Subscription.Name})
		if len(fields) == 1 && !strings.HasPrefix(fields[0].Name, "__") {
			return fields[0], nil
		}
	}
	return field, &apierror.Error{
		Code: apierror.ValidationFailed, Message: "a subscription must select exactly one field, without @skip and @include",
	}
}

// conditional reports whether the selections of an operation have directives. Those of fields and fragments in it may.
func conditional(set ast.SelectionSet) bool {
	return slices.ContainsFunc(set, func(selection ast.Selection) bool {
		switch selection := selection.(type) {
		case *ast.Field:
			return len(selection.Directives) > 0
		case *ast.InlineFragment:
			return len(selection.Directives) > 0 || conditional(selection.SelectionSet)
		case *ast.FragmentSpread:
			return len(selection.Directives) > 0 || selection.Definition != nil && conditional(selection.Definition.SelectionSet)
		}
		return false
	})
}

// queryOf returns the query that selects what a field of Subscription selects.
func (s *Schema) queryOf(operation *ast.OperationDefinition, collected graphql.CollectedField) *ast.OperationDefinition {
	query := s.Schema().Query
	field := *collected.Field
	field.Definition, field.ObjectDefinition = query.Fields.ForName(field.Name), query
	field.SelectionSet, field.Directives = collected.Selections, nil
	field.Arguments = slices.DeleteFunc(slices.Clone(field.Arguments), func(a *ast.Argument) bool {
		return field.Definition.Arguments.ForName(a.Name) == nil
	})
	other := *operation
	other.Operation, other.SelectionSet = ast.Query, ast.SelectionSet{&field}
	return &other
}
