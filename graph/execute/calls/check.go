package calls

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// checkAll compares the declarations with the types that the fields of the schema lead to.
func (f Fields) checkAll(schema *ast.Schema) error {
	for _, name := range slices.Sorted(maps.Keys(schema.Types)) {
		parent := schema.Types[name]
		for _, definition := range parent.Fields {
			leads := f.leads(schema, definition.Type.Name(), map[string]bool{})
			field, declared := f[definition]
			switch {
			case declared && field.PagesArgument != "":
				if leads {
					return fmt.Errorf("schema: %s.%s: @%s: %s is for a field without records", name, definition.Name, Directive, pagesArgument)
				}
			case declared && !leads:
				return fmt.Errorf("schema: %s.%s: @%s: the field leads to no record", name, definition.Name, Directive)
			case !declared && leads && (parent == schema.Query || isRecord(parent)):
				return fmt.Errorf("schema: %s.%s: needs @%s: the field leads to a record", name, definition.Name, Directive)
			}
		}
	}
	return nil
}

// leads reports whether a type is a record, or has a field that leads to one without a declared call. visited holds
// the types that were visited before.
func (f Fields) leads(schema *ast.Schema, name string, visited map[string]bool) bool {
	if isRecord(schema.Types[name]) {
		return true
	}
	if visited[name] {
		return false
	}
	visited[name] = true
	for _, definition := range append([]*ast.Definition{schema.Types[name]}, schema.PossibleTypes[name]...) {
		if !definition.IsCompositeType() {
			continue
		}
		if isRecord(definition) {
			return true
		}
		for _, field := range definition.Fields {
			if _, declared := f[field]; !declared && f.leads(schema, field.Type.Name(), visited) {
				return true
			}
		}
	}
	return false
}
