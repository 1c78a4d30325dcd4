package contract_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

const prosePath = "../../docs/upstream-api.md"

// section is one heading of docs/upstream-api.md with the rows of its tables and the rest of its text.
type section struct {
	title string
	rows  [][]string // trimmed cells, without the heads of tables
	text  string
}

// prose reads the sections of docs/upstream-api.md.
func prose(t *testing.T) []section {
	t.Helper()
	text, err := os.ReadFile(prosePath)
	if err != nil {
		t.Fatal(err)
	}
	var sections []section
	head := true
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			sections = append(sections, section{title: strings.TrimSpace(strings.TrimLeft(line, "#"))})
		case strings.HasPrefix(line, "|---"):
			head = false
		case strings.HasPrefix(line, "|"):
			if !head {
				last := &sections[len(sections)-1]
				last.rows = append(last.rows, cells(line))
			}
		default:
			head = true
			sections[len(sections)-1].text += line + "\n"
		}
	}
	return sections
}

func cells(line string) []string {
	row := strings.Split(strings.Trim(line, "|"), "|")
	for i := range row {
		row[i] = strings.TrimSpace(row[i])
	}
	return row
}

// TestProse: the tables and lists of docs/upstream-api.md are the same as the document, and complete.
func TestProse(t *testing.T) {
	doc, covered := open(t), map[string]bool{}
	for _, s := range prose(t) {
		t.Run(s.title, func(t *testing.T) {
			if path, ok := operations[s.title]; ok {
				covered[path] = true
				proseOfOperation(t, doc, s, path, covered)
				return
			}
			for name := range strings.SplitSeq(regexp.MustCompile(`^2\.[1-4] `).ReplaceAllString(s.title, ""), ", ") {
				if ref := doc.Components.Schemas[name]; ref != nil {
					covered[name] = true
					proseOfProperties(t, name, ref.Value, s.rows)
				}
			}
			proseOfEnums(t, doc, s, covered)
		})
	}
	for name, ref := range doc.Components.Schemas {
		if (len(ref.Value.Properties) > 0 || len(ref.Value.Enum) > 0) && !covered[name] {
			t.Errorf("%s has no table or list of %s", prosePath, name)
		}
	}
	for _, e := range doc.endpoints(t) {
		if !covered[e.path] {
			t.Errorf("%s has no section for %s", prosePath, e.path)
		}
	}
}

// proseOfProperties compares rows of field, type, presence and meaning with the properties of a schema.
func proseOfProperties(t *testing.T, name string, schema *openapi3.Schema, rows [][]string) {
	t.Helper()
	var fields []string
	for _, row := range rows {
		field := strings.Trim(row[0], "`")
		fields = append(fields, field)
		ref := schema.Properties[field]
		if ref == nil {
			t.Errorf("%s.%s is not in the document", name, field)
			continue
		}
		required := slices.Contains(schema.Required, field)
		conditional := schema.Then != nil && slices.Contains(schema.Then.Value.Required, field)
		presence := map[bool]string{true: "always", false: "maybe"}[required]
		if conditional {
			presence = "always with PIX"
		}
		if row[2] != presence {
			t.Errorf("%s.%s is present %q, in the document %q", name, field, row[2], presence)
		}
		typ, nullable := typeOf(ref)
		word, orNull := strings.CutSuffix(row[1], " or null")
		alternatives := strings.FieldsFunc(word, func(r rune) bool { return r == ',' })
		if word != typ && (len(alternatives) < 2 || !strings.Contains(word, typ)) {
			t.Errorf("%s.%s is a %s, in the document a %s", name, field, word, typ)
		}
		// Whether other fields that may be absent can be null is not shown: the document allows it (spec 2).
		if typ != "anything" && (orNull && !nullable || required && nullable != orNull) {
			t.Errorf("%s.%s is a %s, the document allows null: %v", name, field, row[1], nullable)
		}
	}
	if properties := slices.Sorted(maps.Keys(schema.Properties)); !slices.Equal(slices.Sorted(slices.Values(fields)), properties) {
		t.Errorf("%s has the fields %v, in the document %v", name, fields, properties)
	}
}

// typeWords holds the words of docs/upstream-api.md for components that it does not name.
var typeWords = map[string]string{"DateTime": "date-time", "Uuid": "UUID", "UuidV4": "UUID", "Cents": "cents", "Count": "integer"}

// typeOf returns the type of a property in the words of docs/upstream-api.md, and whether it may be null.
func typeOf(ref *openapi3.SchemaRef) (words string, nullable bool) {
	schema := ref.Value
	nullable = schema.Type.Includes("null")
	for _, other := range schema.AnyOf {
		nullable = nullable || other.Value.Type.Is("null")
	}
	if name := componentOf(ref); name != "" {
		if word := typeWords[name]; word != "" {
			return word, nullable
		}
		return "`" + name + "`", nullable
	}
	if len(schema.AnyOf) > 0 {
		words, _ = typeOf(schema.AnyOf[0])
		return words, nullable
	}
	if schema.Type == nil {
		return "anything", true
	}
	var parts []string
	for _, typ := range schema.Type.Slice() {
		switch typ {
		case "null":
		case "string":
			parts = append(parts, "text")
		case "array":
			element, _ := typeOf(schema.Items)
			parts = append(parts, "list of "+element)
		default:
			parts = append(parts, typ)
		}
	}
	return strings.Join(parts, " or "), nullable
}

// proseOfEnums compares the lists of values: `Name` followed by its values, in a sentence or a row, or above a table of them.
func proseOfEnums(t *testing.T, doc *document, s section, covered map[string]bool) {
	t.Helper()
	value := regexp.MustCompile("`([A-Z][A-Z_]*)`")
	lines := strings.Split(strings.ReplaceAll(s.text, ",\n", ", "), "\n")
	var firsts []string
	for _, row := range s.rows {
		lines, firsts = append(lines, strings.Join(row, " ")), append(firsts, row[0])
	}
	for name, ref := range doc.Components.Schemas {
		if len(ref.Value.Enum) == 0 {
			continue
		}
		var want []string
		for _, v := range ref.Value.Enum {
			want = append(want, fmt.Sprint(v))
		}
		for _, line := range lines {
			rest, ok := strings.CutPrefix(line, "`"+name+"`")
			if !ok {
				continue
			}
			if strings.HasPrefix(rest, ",") {
				rest = strings.Join(firsts, " ") // a table of values follows
			}
			var got []string
			for _, match := range value.FindAllStringSubmatch(rest, -1) {
				got = append(got, match[1])
			}
			if covered[name] = true; !slices.Equal(got, want) {
				t.Errorf("%s has the values %v, in the document %v", name, got, want)
			}
		}
	}
}
