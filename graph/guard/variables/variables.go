// Package variables checks the variables of a request strictly against their types before execution (GraphQL
// specification, section 6.1.2). gqlparser coerces loosely: it accepts "5" for Int, a number for String, the name of an
// enum value in any case, and __typename in every input object. An invalid variable is an error of the request, not of
// a field.
//
// It does not check the values of custom scalars. Package scalar does, as errors of fields.
//
// Read Check first.
package variables

import (
	"reflect"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/execute/documents"
)

// Check checks the variables of an operation after gqlparser's coercion, which checks required variables, the kinds of
// objects, and nulls. The path of its error leads to the value within the variables.
func Check(schema *ast.Schema, operation *graphql.OperationContext) *gqlerror.Error {
	for _, definition := range operation.Operation.VariableDefinitions {
		value, given := operation.Variables[definition.Variable]
		if !given && !documents.Defers(operation.Operation) {
			continue
		}
		at := place{schema: schema, variable: definition.Variable}
		var err *gqlerror.Error
		// A condition is a Boolean!. A default value of the variable or the argument allows a nullable variable.
		switch {
		case value != nil:
			err = at.value(definition.Type, reflect.ValueOf(value))
		case !slices.Contains(documents.Conditions(operation), definition.Variable):
		case given:
			err = at.fail("cannot be null")
		default:
			err = at.fail("must be defined")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxListed is the maximum number of elements of a list of values of an enumeration. The enumerations have fewer, and a
// list is decoded again for each field that has the variable.
const maxListed = 1000

// place is the position of a value in the variables.
type place struct {
	schema   *ast.Schema
	variable string
	path     ast.Path // within the variable
}

func (p *place) fail(format string, args ...any) *gqlerror.Error {
	path := append(ast.Path{ast.PathName("variable"), ast.PathName(p.variable)}, p.path...)
	err := gqlerror.ErrorPathf(path, format, args...)
	errcode.Set(err, errcode.ValidationFailed)
	return err
}

// value checks a value against a type. Nulls were checked before.
func (p *place) value(typ *ast.Type, value reflect.Value) *gqlerror.Error {
	for value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	if !value.IsValid() {
		return nil
	}
	if typ.Elem != nil {
		if value.Kind() != reflect.Slice {
			return p.value(typ.Elem, value) // by list input coercion, a single value is a list of one
		}
		if value.Len() > maxListed && p.schema.Types[typ.Name()].Kind == ast.Enum {
			return p.fail("has more than %d elements", maxListed)
		}
		for i := range value.Len() {
			if err := p.within(ast.PathIndex(i), typ.Elem, value.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	definition := p.schema.Types[typ.NamedType]
	switch definition.Kind {
	case ast.InputObject:
		return p.object(definition, value)
	case ast.Enum:
		if name, ok := value.Interface().(string); !ok || definition.EnumValues.ForName(name) == nil {
			return p.fail("is not a value of %s", definition.Name)
		}
	default:
		if fits, known := scalars[definition.Name]; known && !fits(value.Interface()) {
			return p.fail("must be of type %s, not %s", definition.Name, kindOf(value.Interface()))
		}
	}
	return nil
}

// within checks an element of a list or a field of an object.
func (p *place) within(step ast.PathElement, typ *ast.Type, value reflect.Value) *gqlerror.Error {
	p.path = append(p.path, step)
	err := p.value(typ, value)
	p.path = p.path[:len(p.path)-1]
	return err
}

// object checks the fields of an input object, including unknown ones: gqlparser accepts __typename.
func (p *place) object(definition *ast.Definition, value reflect.Value) *gqlerror.Error {
	if value.Kind() != reflect.Map {
		return p.fail("must be a %s, not a %s", definition.Name, kindOf(value.Interface()))
	}
	for _, name := range value.MapKeys() {
		if definition.Fields.ForName(name.String()) == nil {
			p.path = append(p.path, ast.PathName(name.String()))
			return p.fail("unknown field")
		}
	}
	for _, field := range definition.Fields {
		given := value.MapIndex(reflect.ValueOf(field.Name))
		if !given.IsValid() {
			continue
		}
		if err := p.within(ast.PathName(field.Name), field.Type, given); err != nil {
			return err
		}
	}
	return nil
}
