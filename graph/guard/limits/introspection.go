package limits

import "github.com/vektah/gqlparser/v2/ast"

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
				ok = r.read(selection.SelectionSet, r.ofSchema)
			case "__type":
				ok = r.read(selection.SelectionSet, r.ofType(r.named(selection)))
			case "_service":
				for i := 0; ok && i < textValues && r.schema.Types["_Service"] != nil; i++ {
					ok = r.read(selection.SelectionSet, leaf)
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
		return nil
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

// object is an introspection object, as a function that returns the objects that one of its fields leads to: one for
// each element of a list.
type object func(field *ast.Field) []object

// read counts the values that a selection set selects on an object.
func (r *introspectionCounter) read(set ast.SelectionSet, of object) bool {
	for _, selection := range set {
		if r.left--; r.left < 0 {
			return false
		}
		switch selection := selection.(type) {
		case *ast.Field:
			if len(selection.SelectionSet) == 0 {
				continue
			}
			for _, next := range of(selection) {
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

// ofSchema returns the objects that a field of __Schema leads to.
func (r *introspectionCounter) ofSchema(field *ast.Field) []object {
	var next []object
	switch field.Name {
	case "types":
		for name := range r.schema.Types {
			next = append(next, r.ofType(ast.NamedType(name, nil)))
		}
	case "queryType", "mutationType", "subscriptionType":
		for _, definition := range []*ast.Definition{r.schema.Query, r.schema.Mutation, r.schema.Subscription} {
			if definition != nil {
				next = append(next, r.ofType(ast.NamedType(definition.Name, nil)))
				break // the three root types have similar sizes
			}
		}
	case "directives":
		for _, directive := range r.schema.Directives {
			next = append(next, r.ofArguments(directive.Arguments))
		}
	}
	return next
}

// ofType returns the object of type __Type for a type.
func (r *introspectionCounter) ofType(t *ast.Type) object {
	return func(field *ast.Field) []object {
		if t == nil {
			return nil
		}
		if field.Name == "ofType" {
			return r.inside(t)
		}
		definition := r.schema.Types[t.NamedType]
		if definition == nil || t.NonNull {
			return nil
		}
		var next []object
		switch field.Name {
		case "fields", "inputFields":
			for _, of := range definition.Fields {
				next = append(next, r.ofField(of))
			}
		case "enumValues":
			for range definition.EnumValues {
				next = append(next, leaf)
			}
		case "interfaces":
			for _, name := range definition.Interfaces {
				next = append(next, r.ofType(ast.NamedType(name, nil)))
			}
		case "possibleTypes":
			for _, of := range r.schema.PossibleTypes[definition.Name] {
				next = append(next, r.ofType(ast.NamedType(of.Name, nil)))
			}
		}
		return next
	}
}

// inside returns the wrapped type of a list or a non-null type.
func (r *introspectionCounter) inside(t *ast.Type) []object {
	switch {
	case t.NonNull:
		nullable := *t
		nullable.NonNull = false
		return []object{r.ofType(&nullable)}
	case t.Elem != nil:
		return []object{r.ofType(t.Elem)}
	default:
		return nil
	}
}

// ofField returns the object of type __Field or __InputValue for a field.
func (r *introspectionCounter) ofField(of *ast.FieldDefinition) object {
	return func(field *ast.Field) []object {
		switch field.Name {
		case "type":
			return []object{r.ofType(of.Type)}
		case "args":
			return r.ofArguments(of.Arguments)(field)
		default:
			return nil
		}
	}
}

// ofArguments returns an object that has arguments: a directive or a field.
func (r *introspectionCounter) ofArguments(arguments ast.ArgumentDefinitionList) object {
	return func(field *ast.Field) []object {
		if field.Name != "args" {
			return nil
		}
		next := make([]object, len(arguments))
		for i, argument := range arguments {
			next[i] = func(field *ast.Field) []object {
				if field.Name != "type" {
					return nil
				}
				return []object{r.ofType(argument.Type)}
			}
		}
		return next
	}
}

// leaf is an object without fields that lead to others.
func leaf(*ast.Field) []object { return nil }
