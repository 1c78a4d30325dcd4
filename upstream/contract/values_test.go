package contract_test

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"pixgraph/upstream"
)

// The functions below create values of parameters from a schema, valid and invalid ones. The document decides which are
// valid.

// arbitraryTexts are values without a relation to a rule.
var arbitraryTexts = []string{
	"", " ", "x", "0", "1", "-1", "1.5", "99999999999999999999", "null", "true", "[]", "{}", "%", "+", "é", "a/b", "2024-01-31",
	"1706695200", "a,b", "\n", "0-0-0-0-0",
}

// decided are texts that a schema must accept or reject, whatever its pattern. The document itself is tested with them
// too.
var decided = map[string]struct{ accepted, rejected []string }{
	"DateTime": {
		accepted: []string{
			"2026-01-31T12:00:00Z", "2026-01-31T12:00:00.123Z", "2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.1-03:00",
			"2026-01-31T12:00:00-03:00", "2026-01-31T12:00:00+05:45", "2026-01-31T12:00:00", "2026-01-31T12:00Z", "2026-01-31T12:00",
			"2024-02-29T00:00:00Z", "2026-12-31T23:59:59Z", "1999-01-31T10:00:00Z",
		},
		rejected: []string{
			"2026-02-29T00:00:00Z", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-31T24:00:00Z",
			"2026-01-31T25:00:00Z", "2026-01-31T12:60:00Z", "2026-01-31T12:00:60Z", "2026-01-31T1:00:00Z", "2026-1-31T12:00:00Z",
			"2026-01-31T12:00:0Z", "2026-01-31T12:00:00,5Z", "2026-01-31T12:00:00.Z", "2026-01-31T12:00.5Z", "2026-01-31T12:00:00+24:00",
			"2026-01-31T12:00:00+23:60", "2026-01-31T12:00:00+0300", "2026-01-31T12:00:00+03", "2026-01-31T12:00:00 03:00",
			"2026-01-31T12:00:00Z+03:00", "2026-01-31 12:00:00Z", "2026-01-31t12:00:00z", "2026-01-31", "12:00:00Z", "yesterday",
			"12026-01-31T12:00:00Z", "26-01-31T12:00:00Z", "1769860800", "31/01/2026 12:00", "01/31/2024 10:00", " 2026-01-31T12:00:00Z",
			"2026-01-31T12:00:00Z ", "2026-01-31T12:00:00Z\n", "2026-01-31T12:00:00Zx", "２０２６-01-31T12:00:00Z",
			"2026-01-31T12:00:00." + strings.Repeat("0", 10_000) + "Z ",
		},
	},
	"UuidV4": {
		accepted: []string{"7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31", "7B0C1D9E-52F4-4B1A-9D53-0F6C8E7A2B31"},
		rejected: append([]string{
			"7b0c1d9e-52f4-1b1a-9d53-0f6c8e7a2b31", "7b0c1d9e-52f4-7b1a-9d53-0f6c8e7a2b31", "00000000-0000-0000-0000-000000000000",
			"7b0c1d9e-52f4-4b1a-1d53-0f6c8e7a2b31",
		}, notUUIDs...),
	},
	"Uuid": {
		accepted: []string{
			"7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31", "7b0c1d9e-52f4-7b1a-9d53-0f6c8e7a2b31", "00000000-0000-0000-0000-000000000000",
		},
		rejected: notUUIDs,
	},
	"AnyPixKey": {
		accepted: []string{
			"52998224725", "12345678909", "11222333000181", "12345678000195", "12ABC34501DE35", "ana.souza@example.com",
			"ana+pix@example.com", "Ana.Souza@EXAMPLE.com", "ana%pix@example.com", "A%b+c&d=e#f?g@example.com", "+5511987654321",
			"7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31",
		},
		rejected: []string{
			"52998224726", "12345678900", "11111111111", "11222333000182", "12ABC34501DE36", "5299822472", "5511987654321",
			" 5511987654321", "ana@", "7b0c1d9e52f44b1a9d530f6c8e7a2b31", "", "abc", "52998224715", "11222333000191", "00000000000000",
		},
	},
	"Code": {
		accepted: []string{strings.Repeat("a", 8), strings.Repeat("a", 255), strings.Repeat("ã", 8), strings.Repeat("ã", 255), "a&b=c d+é"},
		rejected: []string{strings.Repeat("a", 7), strings.Repeat("ã", 7), strings.Repeat("a", 256), strings.Repeat("ã", 256), ""},
	},
	"DepositAmountBound": {
		accepted: []string{"1", "100", "10000000"}, rejected: append([]string{"0", "10000001"}, notAmounts...),
	},
	"WithdrawalAmountBound": {
		accepted: []string{"10", "100", "10000000"}, rejected: append([]string{"9", "10000001"}, notAmounts...),
	},
}

var notUUIDs = []string{
	"abc", "42", "7b0c1d9e52f44b1a9d530f6c8e7a2b31", "{7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31}",
	"urn:uuid:7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31", "7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b3g", "7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b3",
	"7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b310", "7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31 ", "7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31/x",
	"7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31,7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b32",
}

var notAmounts = []string{"-100", "100.5", "abc", "0x64", "NaN", "99999999999999999999"}

// single returns a list of one for each text.
func single(lists ...[]string) [][]string {
	var values [][]string
	for _, text := range slices.Concat(lists...) {
		values = append(values, []string{text})
	}
	return values
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
	return single(texts)
}

// notShown reports whether a text is an integer in another form than digits. It is not shown whether the APIs accept
// those (spec 4).
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
		{a + " "}, {strings.ToLower(a)}, {a, strings.ToLower(a)}, {"[" + a + "]"}, {upstream.Unknown},
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

// examplesOf returns the examples of a schema, and its enumeration.
func examplesOf(schema *openapi3.Schema) []string {
	var texts []string
	for _, example := range slices.Concat(schema.Examples, schema.Enum) {
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
