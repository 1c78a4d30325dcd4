package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// nulls checks the nulls of a response against @semanticNonNull.
type nulls struct {
	explained map[string]bool // the paths of errors and their beginnings
	seen      int             // nulls that an error must explain
	wrong     []string
}

// checkSemanticNulls returns the number of nulls of fields with @semanticNonNull, and the paths of those without an
// error.
func checkSemanticNulls(t testing.TB, schema *ast.Schema, document string, response []byte) (seen int, wrong []string) {
	t.Helper()
	parsed, errs := gqlparser.LoadQueryWithRules(schema, document, nil)
	if len(errs) > 0 {
		return 0, nil
	}
	var whole struct {
		Data   map[string]any
		Errors []struct{ Path []any }
	}
	decoder := json.NewDecoder(bytes.NewReader(response))
	decoder.UseNumber()
	must(t, decoder.Decode(&whole))
	n := nulls{explained: map[string]bool{}}
	for _, err := range whole.Errors {
		for i := range err.Path {
			n.explained[fmt.Sprint(err.Path[:i+1])] = true
		}
	}
	n.object(parsed.Operations[0].SelectionSet, whole.Data, nil)
	return n.seen, n.wrong
}

func (n *nulls) object(set ast.SelectionSet, object map[string]any, path []any) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.InlineFragment:
			n.object(selection.SelectionSet, object, path)
		case *ast.FragmentSpread:
			n.object(selection.Definition.SelectionSet, object, path)
		case *ast.Field:
			if value, ok := object[selection.Alias]; ok && selection.Definition != nil {
				n.value(selection, value, slices.Concat(path, []any{selection.Alias}), 0)
			}
		}
	}
}

func (n *nulls) value(field *ast.Field, value any, path []any, level int) {
	switch value := value.(type) {
	case nil:
		if slices.Contains(semanticLevels(field.Definition), level) {
			if n.seen++; !n.explained[fmt.Sprint(path)] {
				n.wrong = append(n.wrong, fmt.Sprint(path))
			}
		}
	case map[string]any:
		n.object(field.SelectionSet, value, path)
	case []any:
		for i, element := range value {
			n.value(field, element, slices.Concat(path, []any{i}), level+1)
		}
	}
}

// semanticLevels returns the levels of @semanticNonNull.
func semanticLevels(field *ast.FieldDefinition) (levels []int) {
	directive := field.Directives.ForName("semanticNonNull")
	if directive == nil {
		return nil
	}
	for _, child := range directive.Arguments.ForName("levels").Value.Children {
		levels = append(levels, int(child.Value.Raw[0]-'0'))
	}
	return levels
}
