package limits

import (
	"fmt"
	"math"
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

// value returns the value of an argument, which may be that of a variable; nil if the argument is missing or null.
func (a arguments) value(name string) any {
	argument := a.list.ForName(name)
	if argument == nil {
		return nil
	}
	value, _ := argument.Value.Value(a.variables) // validation rejects a literal that Go cannot represent
	return value
}

// given reports whether an argument is present and not null.
func (a arguments) given(name string) bool {
	if a.open(name) {
		return a.assumed == maxCalls
	}
	return a.value(name) != nil
}

// number returns the value of an argument of type Int, or the fallback if the argument is missing.
func (a arguments) number(name string, fallback int) int {
	if a.open(name) {
		return a.bound(1, math.MaxInt32)
	}
	value := a.value(name)
	if value == nil {
		return fallback
	}
	number, err := strconv.Atoi(fmt.Sprint(value))
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
	for _, representation := range graphql.CoerceList(a.value(name)) {
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
	if argument := a.list.ForName(name); argument != nil && argument.Value.Kind == ast.ListValue {
		return len(argument.Value.Children) // allocates nothing
	}
	return len(graphql.CoerceList(a.value(name)))
}
