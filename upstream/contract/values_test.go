package contract_test

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// The functions below create values of parameters from a schema, valid and invalid ones. The document decides which are valid.

// arbitraryTexts are values without a relation to a rule.
var arbitraryTexts = []string{
	"", " ", "x", "0", "1", "-1", "1.5", "99999999999999999999", "null", "true", "[]", "{}", "%", "+", "é", "a/b", "2024-01-31",
	"1706695200", "a,b", "\n", "0-0-0-0-0",
}

// valuesOf returns test values of a parameter. Each is the list of texts with which the parameter is repeated.
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
	texts = append(texts, arbitraryTexts...)
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

// notShown reports whether a text is an integer in another form than digits. It is not shown whether the APIs accept those
// (spec 4).
func notShown(text string) bool {
	number, ok := new(big.Rat).SetString(text)
	return ok && number.IsInt() && number.Num().String() != text
}

// listsOf returns test values of an array: from its own enumeration, and from every other one.
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
	for _, text := range arbitraryTexts {
		lists = append(lists, []string{text})
	}
	return lists
}

// integersOf returns the examples of a schema, and the integers near its minimum and maximum.
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

// textsOf returns the examples of a schema, mutations of them, and texts near its minimum and maximum length.
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

// mutations returns texts that differ slightly from a valid one.
func mutations(text string) []string {
	alphabet := []string{"0", "Z", "-", "g", "9", ":", "é", "+", " ", "1", "T", "."}
	texts := []string{text + text, " " + text, text + " ", text + "\n", strings.ToUpper(text), strings.ToLower(text), "{" + text + "}"}
	for i, r := range text {
		before, after := text[:i], text[i+len(string(r)):]
		texts = append(texts, before+after, before+alphabet[i%len(alphabet)]+after)
	}
	return texts
}
