package limits

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
)

// arguments are the arguments of one field.
type arguments struct {
	list      ast.ArgumentList
	variables map[string]any
	assumed   assumption
}

// open reports whether the value of an argument depends on a variable whose value is not known.
func (a arguments) open(name string) bool {
	argument := a.list.ForName(name)
	return a.assumed != nothing && argument != nil && argument.Value.Kind == ast.Variable
}

// bound returns the number for the minimum or the maximum of calls.
func (a arguments) bound(minimum, maximum int) int {
	if a.assumed == minCalls {
		return minimum
	}
	return maximum
}

// value returns the value of an argument, as a literal or from a variable. It returns false if the argument is missing
// or null.
func (a arguments) value(name string) (*ast.Value, any, bool) {
	argument := a.list.ForName(name)
	if argument == nil || argument.Value.Kind == ast.NullValue {
		return nil, nil, false
	}
	if argument.Value.Kind != ast.Variable {
		return argument.Value, nil, true
	}
	value := a.variables[argument.Value.Raw] // includes the variable's default
	return nil, value, value != nil
}

// given reports whether an argument is present and not null.
func (a arguments) given(name string) bool {
	if a.open(name) {
		return a.assumed == maxCalls
	}
	_, _, ok := a.value(name)
	return ok
}

// number returns the value of an argument of type Int, or the fallback if the argument is missing.
func (a arguments) number(name string, fallback int) int {
	if a.open(name) {
		return a.bound(1, math.MaxInt32)
	}
	literal, variable, ok := a.value(name)
	if !ok {
		return fallback
	}
	text := fmt.Sprint(variable)
	if literal != nil {
		text = literal.Raw
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		return math.MaxInt32 // not an Int: variables and validation reject it
	}
	return number
}

// types returns the number of representations of each type in a list argument; nil if any type may have all of them.
func (a arguments) types(name string) map[string]int {
	types := map[string]int{}
	value := a.list.ForName(name).Value
	if a.assumed != nothing && ofAnyType(value) {
		if a.assumed == maxCalls {
			types = nil
		}
		return types
	}
	list, _ := value.Value(a.variables)
	for _, representation := range graphql.CoerceList(list) {
		types[calls.TypeOf(representation)]++
	}
	return types
}

// ofAnyType reports whether variables determine the types of representations in a value.
func ofAnyType(value *ast.Value) bool {
	if value.Kind == ast.ObjectValue {
		name := value.Children.ForName("__typename")
		return name != nil && name.Kind == ast.Variable
	}
	return value.Kind == ast.Variable || slices.ContainsFunc(value.Children, func(child *ast.ChildValue) bool { return ofAnyType(child.Value) })
}

// length returns the number of elements of a list argument, which has up to longest if it is not known. By list input
// coercion, a single value is a list of one.
func (a arguments) length(name string, longest int) int {
	if a.open(name) {
		return a.bound(1, longest)
	}
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
