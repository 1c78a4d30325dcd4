package limits

import (
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// introspectionCounter counts the values that a document's introspection fields select. It follows the schema as
// execution would, and stops when the limit is exceeded. gqlparser bounds only the nesting of lists in introspection:
// two nested lists over all types already select more than the whole schema has, and aliases multiply that.
type introspectionCounter struct {
	schema    *ast.Schema
	fragments fragments
	left      int // values that may still be selected
}

// document reports whether the document's operations together stay within the limit.
func (r *introspectionCounter) document(document *ast.QueryDocument) bool {
	for _, operation := range document.Operations {
		if !r.roots(operation.SelectionSet, map[string]bool{}) {
			return false
		}
	}
	return true
}

// textValues is the number of values that the text of the schema counts as, which _service selects. A document may
// select four texts: 300 KB, in less time than the full introspection.
const textValues = 4000

// roots counts the selections of an operation's __schema, __type and _service fields. A fragment that is spread several
// times there is merged with itself, so it is visited once.
func (r *introspectionCounter) roots(set ast.SelectionSet, visited map[string]bool) bool {
	for _, selection := range set {
		ok := true
		switch selection := selection.(type) {
		case *ast.Field:
			switch selection.Name {
			case "__schema":
				ok = r.read(selection.SelectionSet, r.schema)
			case "__type":
				ok = r.read(selection.SelectionSet, r.named(selection))
			case "_service":
				for i := 0; ok && i < textValues && r.schema.Types["_Service"] != nil; i++ {
					ok = r.read(selection.SelectionSet, nil)
				}
			}
		case *ast.InlineFragment:
			ok = r.roots(selection.SelectionSet, visited)
		case *ast.FragmentSpread:
			if fragment := r.fragments[selection.Name]; fragment != nil && !visited[selection.Name] {
				visited[selection.Name] = true
				ok = r.roots(fragment.set, visited)
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// named returns the type that a __type field selects. If a variable holds the name, it returns the type with the most
// fields.
func (r *introspectionCounter) named(field *ast.Field) *ast.Type {
	argument := field.Arguments.ForName("name")
	if argument == nil || argument.Value == nil {
		return ast.NamedType("", nil)
	}
	if argument.Value.Kind != ast.Variable {
		return ast.NamedType(argument.Value.Raw, nil)
	}
	var biggest *ast.Definition
	for _, definition := range r.schema.Types {
		if biggest == nil || len(definition.Fields) > len(biggest.Fields) {
			biggest = definition
		}
	}
	return ast.NamedType(biggest.Name, nil)
}

// read counts the values that a selection set selects on an object of introspection, given as what it shows: the
// schema, a type, a field, an argument, a directive; nil for what leads to no other object.
func (r *introspectionCounter) read(set ast.SelectionSet, of any) bool {
	for _, selection := range set {
		if r.left--; r.left < 0 {
			return false
		}
		switch selection := selection.(type) {
		case *ast.Field:
			if len(selection.SelectionSet) == 0 {
				continue
			}
			for _, next := range r.below(of, selection.Name) {
				if !r.read(selection.SelectionSet, next) {
					return false
				}
			}
		case *ast.InlineFragment:
			if !r.read(selection.SelectionSet, of) {
				return false
			}
		case *ast.FragmentSpread:
			if fragment := r.fragments[selection.Name]; fragment != nil && !r.read(fragment.set, of) {
				return false
			}
		}
	}
	return true
}

// below returns the objects that a field of an object leads to.
func (r *introspectionCounter) below(of any, field string) []any {
	switch of := of.(type) {
	case *ast.Schema:
		switch field {
		case "types":
			return each(slices.Collect(maps.Values(of.Types)), func(d *ast.Definition) any { return ast.NamedType(d.Name, nil) })
		case "queryType", "mutationType", "subscriptionType": // of similar sizes
			return []any{ast.NamedType(of.Query.Name, nil)}
		case "directives":
			return each(slices.Collect(maps.Values(of.Directives)), identity)
		}
	case *ast.DirectiveDefinition:
		if field == "args" {
			return each(of.Arguments, identity)
		}
	case *ast.FieldDefinition:
		switch field {
		case "type":
			return []any{of.Type}
		case "args":
			return each(of.Arguments, identity)
		}
	case *ast.ArgumentDefinition:
		if field == "type" {
			return []any{of.Type}
		}
	case *ast.Type:
		return r.belowType(of, field)
	}
	return nil
}

// belowType returns the objects that a field of __Type leads to.
func (r *introspectionCounter) belowType(t *ast.Type, field string) []any {
	definition := r.schema.Types[t.NamedType]
	switch {
	case field == "ofType" && t.NonNull:
		nullable := *t
		nullable.NonNull = false
		return []any{&nullable}
	case field == "ofType" && t.Elem != nil:
		return []any{t.Elem}
	case definition == nil || t.NonNull:
		return nil
	}
	switch field {
	case "fields", "inputFields":
		return each(definition.Fields, identity)
	case "enumValues":
		return make([]any, len(definition.EnumValues))
	case "interfaces":
		return each(definition.Interfaces, func(name string) any { return ast.NamedType(name, nil) })
	case "possibleTypes":
		return each(r.schema.PossibleTypes[definition.Name], func(d *ast.Definition) any { return ast.NamedType(d.Name, nil) })
	}
	return nil
}

func each[T any](list []T, object func(T) any) []any {
	objects := make([]any, len(list))
	for i, element := range list {
		objects[i] = object(element)
	}
	return objects
}

func identity[T any](t T) any { return t }
