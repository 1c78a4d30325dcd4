package limits

import "github.com/vektah/gqlparser/v2/ast"

// reading counts the values that a document reads of the schema itself, by going the way that execution would go, and
// stops where there are too many. gqlparser bounds how deep lists nest, but two of them, over every type, are already
// more than a whole schema, and aliases multiply it.
type reading struct {
	schema    *ast.Schema
	fragments fragments
	left      int // values
}

// document reports whether the document's operations together read few enough values.
func (r *reading) document(document *ast.QueryDocument) bool {
	for _, operation := range document.Operations {
		if !r.roots(operation.SelectionSet, map[string]bool{}) {
			return false
		}
	}
	return true
}

// roots reads what the fields __schema and __type of an operation select. A fragment that is spread again there is merged
// with itself, so it is met once.
func (r *reading) roots(set ast.SelectionSet, met map[string]bool) bool {
	for _, selection := range set {
		ok := true
		switch selection := selection.(type) {
		case *ast.Field:
			switch selection.Name {
			case "__schema":
				ok = r.read(selection.SelectionSet, r.ofSchema)
			case "__type":
				ok = r.read(selection.SelectionSet, r.ofType(r.named(selection)))
			}
		case *ast.InlineFragment:
			ok = r.roots(selection.SelectionSet, met)
		case *ast.FragmentSpread:
			if fragment := r.fragments[selection.Name]; fragment != nil && !met[selection.Name] {
				met[selection.Name] = true
				ok = r.roots(fragment.set, met)
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// named is the type that a field __type asks for; the biggest of the schema where a variable names it.
func (r *reading) named(field *ast.Field) *ast.Type {
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

// object gives what one field of a value of the schema leads to: nothing but the value itself, or other objects.
type object func(field *ast.Field) []object

// read counts what a selection set reads of an object.
func (r *reading) read(set ast.SelectionSet, of object) bool {
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

// ofSchema leads on from __Schema.
func (r *reading) ofSchema(field *ast.Field) []object {
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
				break // that it is another of the three makes little difference
			}
		}
	case "directives":
		for _, directive := range r.schema.Directives {
			next = append(next, r.ofArguments(directive.Arguments))
		}
	}
	return next
}

// ofType leads on from __Type.
func (r *reading) ofType(t *ast.Type) object {
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

// inside is what a list or a non-null type is made of.
func (r *reading) inside(t *ast.Type) []object {
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

// ofField leads on from __Field and __InputValue.
func (r *reading) ofField(of *ast.FieldDefinition) object {
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

// ofArguments leads on from what has arguments.
func (r *reading) ofArguments(arguments ast.ArgumentDefinitionList) object {
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

// leaf leads nowhere.
func leaf(*ast.Field) []object { return nil }
