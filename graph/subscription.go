package graph

import (
	"context"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/documents"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/generated"
	"pixgraph/graph/syntax"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// Subscription is a subscription that is ready to begin.
type Subscription struct {
	Subject live.Subject
	Until   live.Until
	Key     string   // the response key of its field
	Facts   []string // the response keys of the field live of its record
	// Query is the query with the same field, which is executed for each event.
	Query *graphql.OperationContext
}

// watch returns what a field watches, by its arguments.
type watch func(arguments map[string]any) (live.Subject, live.Until, error)

// watchOf returns the watch of a field of Subscription, or of Query that waits. The field has the name of its record or
// of its list.
func (l *Lookups) watchOf(field string) watch {
	for _, entry := range l.entries {
		if strings.EqualFold(entry.name(), strings.TrimPrefix(field, awaitPrefix)) {
			return entry.watch
		}
	}
	return lists[field]
}

// watch implements entry.
func (l *lookup[T]) watch(arguments map[string]any) (found live.Subject, until live.Until, err error) {
	if until, err = l.until(arguments); err != nil {
		return found, until, err
	}
	id := arguments["id"].(string)
	if !l.id.Valid(id) {
		return found, until, apierror.Input("id", "must be the id of a "+l.noun)
	}
	return live.Record(l.fetch, l.id.Canonical(id)), until, nil
}

// untilOf returns what the arguments until and since wait for.
func untilOf[S ~string](statuses []S, since *string) (until live.Until, err error) {
	if statuses != nil && len(statuses) == 0 || slices.Contains(statuses, upstream.Unknown) {
		return until, apierror.Input("until", "must list at least one status, and not UNKNOWN")
	}
	for _, status := range statuses {
		if !slices.Contains(until.Statuses, string(status)) { // a stream holds each once, however often it is listed
			until.Statuses = append(until.Statuses, string(status))
		}
	}
	if since != nil {
		until.Since, _, _ = upstream.ParseTime(*since) // the scalar has checked it
	}
	return until, nil
}

// watchPage returns the watch of a field with a page of records.
func watchPage[T upstream.Resource, F paging.Filter](
	fetch func(*client.Session, context.Context, F, client.PageRequest) (*upstream.Page[T], error),
) watch {
	return func(arguments map[string]any) (found live.Subject, until live.Until, err error) {
		filter := arguments["filter"].(F)
		page, err := paging.First(filter, paging.Arguments{Page: arguments["page"].(*int32), PerPage: arguments["perPage"].(*int32)})
		if err != nil {
			return found, until, err
		}
		return live.Page(fetch, filter, page), until, nil
	}
}

// Subscribe prepares a subscription, whose operation is also in ctx. It makes no call.
func (s *Schema) Subscribe(ctx context.Context, operation *graphql.OperationContext, cache *documents.Cache) (*Subscription, error) {
	field, err := s.SubscribedField(operation)
	if err != nil {
		return nil, err
	}
	subscription := &Subscription{Key: field.Alias}
	for _, selected := range graphql.CollectFields(operation, field.Selections, []string{field.Definition.Type.Name()}) {
		if selected.Name == "live" {
			subscription.Facts = append(subscription.Facts, selected.Alias)
		}
	}
	err = generated.WithArguments(ctx, s.ExecutableSchema, field, func(arguments map[string]any) (err error) {
		subscription.Subject, subscription.Until, err = s.Lookups.watchOf(field.Name)(arguments)
		return err
	})
	if err != nil {
		return nil, err
	}
	key := documents.PlanKey{Operation: operation.Operation, Conditions: "query"}
	query, ok := cache.Plan(operation.Doc, key)
	if !ok {
		query = s.queryOf(operation.Operation, field)
		cache.Keep(operation.Doc, key, query, documents.Parts(2))
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
func conditional(set ast.SelectionSet) (found bool) {
	syntax.Fields(set, func(directives ast.DirectiveList) bool {
		found = found || len(directives) > 0
		return true
	}, func(*ast.Field) {})
	return found
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
