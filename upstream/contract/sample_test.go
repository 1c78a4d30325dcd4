package contract_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// sample returns a value of a schema with every property of every object. It uses examples and enumerations if there
// are any.
func sample(t *testing.T, schema *openapi3.Schema) any {
	t.Helper()
	switch {
	case len(schema.AnyOf) > 0 && schema.Type == nil:
		if object := alternativeRef(&openapi3.SchemaRef{Value: schema}, openapi3.TypeObject); object != nil {
			return sample(t, object.Value)
		}
		return sample(t, schema.AnyOf[0].Value)
	case len(schema.Examples) > 0:
		return schema.Examples[0]
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case schema.Type == nil:
		return map[string]any{"any": "value"}
	case schema.Type.Includes(openapi3.TypeObject):
		object := map[string]any{}
		for name, property := range schema.Properties {
			object[name] = sample(t, property.Value)
		}
		return object
	case schema.Type.Includes(openapi3.TypeArray):
		return []any{sample(t, schema.Items.Value)}
	case schema.Type.Includes(openapi3.TypeString):
		return "text"
	case schema.Type.Includes(openapi3.TypeInteger):
		return 7
	case schema.Type.Includes(openapi3.TypeNumber):
		return 7.5
	case schema.Type.Includes(openapi3.TypeBoolean):
		return true
	}
	t.Fatalf("no sample of a schema of %v", schema.Type)
	return nil
}

// absent makes replaced remove a member.
type absent struct{}

// replaced returns a copy of an object in which a member of the object at the end of a path has another value. In a
// list, the path leads to the first element.
func replaced(value any, path []string, member string, by any) any {
	switch value := value.(type) {
	case []any:
		return []any{replaced(value[0], path, member, by)}
	case map[string]any:
		changed := maps.Clone(value)
		if len(path) > 0 {
			changed[path[0]] = replaced(value[path[0]], path[1:], member, by)
			return changed
		}
		if _, remove := by.(absent); remove {
			delete(changed, member)
		} else {
			changed[member] = by
		}
		return changed
	}
	panic(fmt.Sprintf("%T is not an object", value))
}

// variants returns values of every JSON type for a property of a schema. For a type that the schema accepts, the value
// is the sample, so that a value is rejected for its type and not for the content of a string.
func variants(t *testing.T, schema *openapi3.Schema) map[string]any {
	t.Helper()
	values := map[string]any{
		"absent": absent{}, "null": nil, "string": "text", "integer": 7, "negative": -7, "fraction": 7.5, "true": true, "false": false,
		"object": map[string]any{}, "array-empty": []any{}, "array-integer": []any{7}, "array-null": []any{nil},
		"array-string": []any{"text"}, "array-object": []any{map[string]any{}},
	}
	ref := &openapi3.SchemaRef{Value: schema}
	for name, typ := range map[string]string{"string": openapi3.TypeString, "object": openapi3.TypeObject, "array-object": openapi3.TypeArray} {
		accepted := alternativeRef(ref, typ)
		if accepted == nil {
			continue
		}
		if name != "array-object" || alternativeRef(accepted.Value.Items, openapi3.TypeObject) != nil {
			values[name] = sample(t, accepted.Value)
		}
	}
	return values
}
