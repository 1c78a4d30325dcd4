package contract_test

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Values of parameters, valid and not, made from a schema. Which of them are valid is for the document to say.

// junk is what no rule is about in particular.
var junk = []string{
	"", " ", "x", "0", "1", "-1", "1.5", "99999999999999999999", "null", "true", "[]", "{}", "%", "+", "é", "a/b", "2024-01-31",
	"1706695200", "a,b", "\n", "0-0-0-0-0",
}

// valuesOf are the values of a parameter to try, each as it is repeated.
func valuesOf(doc *document, schema *openapi3.Schema) [][]string {
	if schema.Type.Is(openapi3.TypeArray) {
		return listsOf(doc, schema)
	}
	var texts []string
	if schema.Type.Is(openapi3.TypeInteger) {
		texts = integersOf(schema)
	} else {
		texts = textsOf(schema)
	}
	texts = append(texts, junk...)
	slices.Sort(texts)
	texts = slices.Compact(texts)
	if schema.Type.Is(openapi3.TypeInteger) {
		texts = slices.DeleteFunc(texts, notShown)
	}
	values := make([][]string, len(texts))
	for i, text := range texts {
		values[i] = []string{text}
	}
	return values
}

// notShown reports whether a text is an integer in another form than in digits alone: whether the APIs take it is not shown
// (spec 4).
func notShown(text string) bool {
	number, ok := new(big.Rat).SetString(text)
	return ok && number.IsInt() && number.Num().String() != text
}

// listsOf are the values of an array: those of its own enumeration, and of every other one.
func listsOf(doc *document, schema *openapi3.Schema) [][]string {
	var own []string
	for _, value := range schema.Items.Value.Enum {
		own = append(own, fmt.Sprint(value))
	}
	a, b := own[0], own[1]
	lists := [][]string{
		own, {a, b}, {b, a}, {a, a}, {a, b, a}, {""}, {a, ""}, {"", a}, {a, "x"}, {a + "," + b}, {a + "|" + b}, {a + " " + b}, {" " + a},
		{a + " "}, {strings.ToLower(a)}, {a, strings.ToLower(a)}, {"[" + a + "]"},
	}
	for _, other := range doc.Components.Schemas {
		for _, value := range other.Value.Enum {
			lists = append(lists, []string{fmt.Sprint(value)})
		}
	}
	for _, text := range junk {
		lists = append(lists, []string{text})
	}
	return lists
}

// integersOf are the integers at the bounds of a schema and between them.
func integersOf(schema *openapi3.Schema) []string {
	texts := examplesOf(schema)
	for _, bound := range []*float64{schema.Min, schema.Max} {
		if bound == nil {
			continue
		}
		for n := int64(*bound) - 1; n <= int64(*bound)+1; n++ {
			texts = append(texts, strconv.FormatInt(n, 10))
		}
	}
	return texts
}

// textsOf are the examples of a schema, those texts with each character changed or left out, and texts at its bounds.
func textsOf(schema *openapi3.Schema) []string {
	examples := examplesOf(schema)
	texts := slices.Clone(examples)
	for _, example := range examples {
		texts = append(texts, mutations(example)...)
	}
	for _, part := range append(openapi3.SchemaRefs{{Value: schema}}, schema.AnyOf...) {
		bounds := []uint64{part.Value.MinLength}
		if part.Value.MaxLength != nil {
			bounds = append(bounds, *part.Value.MaxLength)
		}
		for _, bound := range bounds {
			for n := max(int(bound)-1, 0); n <= int(bound)+1; n++ {
				texts = append(texts, strings.Repeat("a", n), strings.Repeat("é", n))
				for _, example := range examples {
					if missing := n - len(example); missing > 0 {
						texts = append(texts, strings.Repeat("a", missing)+example)
					}
				}
			}
		}
	}
	return texts
}

func examplesOf(schema *openapi3.Schema) []string {
	var texts []string
	for _, example := range schema.Examples {
		texts = append(texts, fmt.Sprint(example))
	}
	return texts
}

// mutations are texts that differ a little from one that is valid.
func mutations(text string) []string {
	alphabet := []string{"0", "Z", "-", "g", "9", ":", "é", "+", " ", "1", "T", "."}
	texts := []string{text + text, " " + text, text + " ", text + "\n", strings.ToUpper(text), strings.ToLower(text), "{" + text + "}"}
	for i, r := range text {
		before, after := text[:i], text[i+len(string(r)):]
		texts = append(texts, before+after, before+alphabet[i%len(alphabet)]+after)
	}
	return texts
}
