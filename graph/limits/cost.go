package limits

import (
	"reflect"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// cost is how many calls upstream a validated operation may lead to at worst. Fields are merged and fragments expanded
// as for execution, and what @skip and @include leave out costs nothing; that the same record may be asked for twice
// under different names, and is then fetched once, is not considered. The time is linear in the operation's expanded
// fields, which measure has bounded.
func (l *Limits) cost(operation *graphql.OperationContext) int {
	e := estimate{config: &l.config, ways: l.ways, document: operation.Doc, variables: operation.Variables}
	return e.calls([]ast.SelectionSet{operation.Operation.SelectionSet}, 1)
}

// estimate adds up the calls of one operation.
type estimate struct {
	config    *Config
	ways      ways
	document  *ast.QueryDocument
	variables map[string]any
}

// call is fields of one name that are merged.
type call struct {
	name  string // in the answer
	field *ast.Field
	sets  []ast.SelectionSet
}

// calls adds up the fields of merged selection sets, which are asked of so many records.
func (e *estimate) calls(sets []ast.SelectionSet, records int) int {
	var calls []call
	for _, set := range sets {
		calls = e.collect(calls, set)
	}
	total := 0
	for _, c := range calls {
		below := records
		if declared := e.ways[c.field.Definition]; declared != nil {
			own, found := weigh(declared, arguments{c.field.Arguments, e.variables, e.config})
			total = plus(total, times(records, own))
			below = times(records, found)
		}
		if below > 0 && len(c.sets) > 0 {
			total = plus(total, e.calls(c.sets, below))
		}
	}
	return total
}

// collect merges the fields of a selection set that make calls or lead to such that do.
func (e *estimate) collect(calls []call, set ast.SelectionSet) []call {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			if _, ok := e.ways[selection.Definition]; !ok || e.leftOut(selection.Directives) {
				continue
			}
			calls = add(calls, selection)
		case *ast.InlineFragment:
			if !e.leftOut(selection.Directives) {
				calls = e.collect(calls, selection.SelectionSet)
			}
		case *ast.FragmentSpread:
			if selection.Definition != nil && !e.leftOut(selection.Directives) {
				calls = e.collect(calls, selection.Definition.SelectionSet)
			}
		}
	}
	return calls
}

func add(calls []call, field *ast.Field) []call {
	for i := range calls {
		if calls[i].name == field.Alias && calls[i].field.ObjectDefinition == field.ObjectDefinition {
			calls[i].sets = append(calls[i].sets, field.SelectionSet)
			return calls
		}
	}
	return append(calls, call{field.Alias, field, []ast.SelectionSet{field.SelectionSet}})
}

// leftOut reports whether @skip or @include leave a selection out.
func (e *estimate) leftOut(directives ast.DirectiveList) bool {
	for _, directive := range directives {
		if directive.Name != "skip" && directive.Name != "include" {
			continue
		}
		condition := directive.Arguments.ForName("if")
		if condition == nil {
			continue
		}
		value, err := condition.Value.Value(e.variables)
		if on, ok := value.(bool); err == nil && ok && on == (directive.Name == "skip") {
			return true
		}
	}
	return false
}

// arguments are those of one field.
type arguments struct {
	list      ast.ArgumentList
	variables map[string]any
	config    *Config
}

// value is an argument's value; false when it is not given, or null.
func (a arguments) value(name string) (*ast.Value, any, bool) {
	argument := a.list.ForName(name)
	if argument == nil || argument.Value.Kind == ast.NullValue {
		return nil, nil, false
	}
	if argument.Value.Kind != ast.Variable {
		return argument.Value, nil, true
	}
	value := a.variables[argument.Value.Raw] // with the default of the variable, if it has one
	return nil, value, value != nil
}

// given reports whether an argument is given and not null.
func (a arguments) given(name string) bool {
	_, _, ok := a.value(name)
	return ok
}

// length is how many elements a list has that is given as an argument; a single value is a list of one.
func (a arguments) length(name string) int {
	literal, variable, ok := a.value(name)
	switch {
	case !ok:
		return 0
	case literal != nil && literal.Kind == ast.ListValue:
		return len(literal.Children)
	case literal != nil:
		return 1
	}
	if list, ok := variable.([]any); ok {
		return len(list)
	}
	if list := reflect.ValueOf(variable); list.Kind() == reflect.Slice {
		return list.Len()
	}
	return 1
}
