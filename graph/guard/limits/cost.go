package limits

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/syntax"
	"pixgraph/request"
)

// cost returns the largest number of upstream calls that a validated operation can cause, and an error if it is above
// the limit. Fields are merged and fragments expanded as in execution, and selections that @skip and @include exclude
// cost nothing. A record that several fields request is counted for each of them, although it is fetched only once. The
// time is linear in the size of the document for each object, and in the number of expanded fields, which measure
// bounds.
func (l *Limits) cost(operation *graphql.OperationContext, file bool) (cost int, err error) {
	e := estimate{callingFields: l.callingFields, variables: operation.Variables, file: file}
	if cost = e.calls(call{set: operation.Operation.SelectionSet}, 1, nil); cost > l.config.MaxCost {
		err = e.exceeded(l.config.MaxCost)
	}
	return cost, err
}

// CostRange returns bounds of the cost of a validated operation, whatever the values of its variables are. The error is
// that of an operation that is above the limit with all values.
func (l *Limits) CostRange(operation *ast.OperationDefinition) (minimum, maximum request.Cost, err error) {
	of := func(assumed assumption) (request.Cost, estimate) {
		e := estimate{callingFields: l.callingFields, assumed: assumed}
		return request.Cost{UpstreamCalls: e.calls(call{set: operation.SelectionSet}, 1, nil), Max: l.config.MaxCost}, e
	}
	minimum, least := of(minCalls)
	maximum, _ = of(maxCalls)
	if minimum.UpstreamCalls > minimum.Max {
		err = least.exceeded(minimum.Max)
	}
	return minimum, maximum, err
}

// assumption says what is known of the variables of an operation.
type assumption int

const (
	nothing  assumption = iota // their values are known
	minCalls                   // each has the value with which its field makes the fewest calls
	maxCalls
)

// estimate computes the cost of one operation.
type estimate struct {
	callingFields callingFields
	variables     map[string]any
	assumed       assumption
	file          bool // whether the response is a file, for which summaries next to a list are not executed
	sums          bool // whether a field sums the pages of a list
}

// exceeded returns the error of the operation, whose cost is above the limit.
func (e *estimate) exceeded(maximum int) error {
	err := exceeded(LimitCost, maximum)
	if e.sums {
		err.Message += "; a summary of any length is a file: request it with Accept: application/x-ndjson or text/csv"
	}
	return err
}

// call is a group of merged fields with the same response name.
type call struct {
	name  string // the response name
	field *ast.Field
	set   ast.SelectionSet
	more  []ast.SelectionSet // of merged fields after the first
}

// calls returns the cost of the selection sets of a group that are executed on the given number of records. If they are
// of several types, types has the number of each.
func (e *estimate) calls(of call, records int, types map[string]int) int {
	var few [4]call // most operations have no more
	made := few[:0]
	var object syntax.Object
	for i := range 1 + len(of.more) { // merges those fields that make calls or lead to fields that do
		set := of.set
		if i > 0 {
			set = of.more[i-1]
		}
		object.Fields(set, e.included, func(field *ast.Field) {
			if _, ok := e.callingFields[field.Definition]; ok {
				made = add(made, field)
			}
		})
	}
	if e.file && slices.ContainsFunc(made, e.lists) {
		made = slices.DeleteFunc(made, e.summarizes)
	}
	total := 0
	for _, c := range made {
		below := records
		if types != nil {
			below = types[c.field.ObjectDefinition.Name]
		}
		var entities map[string]int
		if declared := e.callingFields[c.field.Definition]; declared != nil {
			e.sums = e.sums || e.summarizes(c)
			own, found := fieldCost(declared, arguments{c.field.Arguments, e.variables, e.assumed})
			if e.file && e.summarizes(c) {
				own = 1 // the download pays for the others page by page
			}
			total = plus(total, times(below, own))
			below = times(below, found)
			if declared.Form == calls.Entities {
				entities = arguments{c.field.Arguments, e.variables, e.assumed}.types(declared.SlicingArgument)
			}
		}
		if below > 0 {
			total = plus(total, e.calls(c, below, entities))
		}
	}
	return total
}

// lists reports whether a field returns a page of a list.
func (e *estimate) lists(c call) bool {
	declared := e.callingFields[c.field.Definition]
	return declared != nil && declared.Form == calls.Connection
}

// summarizes reports whether a field sums the pages of a list.
func (e *estimate) summarizes(c call) bool {
	declared := e.callingFields[c.field.Definition]
	return declared != nil && declared.PagesArgument != ""
}

func add(calls []call, field *ast.Field) []call {
	for i := range calls {
		if calls[i].name == field.Alias && calls[i].field.ObjectDefinition == field.ObjectDefinition {
			calls[i].more = append(calls[i].more, field.SelectionSet)
			return calls
		}
	}
	return append(calls, call{name: field.Alias, field: field, set: field.SelectionSet})
}

// included reports whether @skip and @include keep a selection.
func (e *estimate) included(directives ast.DirectiveList) bool {
	for _, directive := range directives {
		if directive.Name != "skip" && directive.Name != "include" {
			continue
		}
		condition := directive.Arguments.ForName("if")
		if condition == nil {
			continue
		}
		if condition.Value.Kind == ast.Variable && e.assumed != nothing {
			if e.assumed == minCalls {
				return false
			}
			continue
		}
		value, err := condition.Value.Value(e.variables)
		if on, ok := value.(bool); err == nil && ok && on == (directive.Name == "skip") {
			return false
		}
	}
	return true
}
