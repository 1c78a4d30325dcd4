package contract_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// operations holds the sections of operations and their paths.
var operations = map[string]string{
	"4.1 List deposits": "/deposit", "4.2 List withdrawals": "/withdrawal",
	"4.3 Get one transaction": "/transaction/{id}", "4.4 Get one notification": "/request/{id}",
}

// proseOfOperation compares the section of an operation: its path, parameters, page and errors.
func proseOfOperation(t *testing.T, doc *document, s section, path string, covered map[string]bool) {
	t.Helper()
	operation := doc.Paths.Value(path).Get
	if !strings.Contains(s.text, path+"`") {
		t.Errorf("the path is not %s", path)
	}
	rows := s.rows
	for _, parameter := range operation.Parameters {
		p := parameter.Value
		i := slices.IndexFunc(rows, func(row []string) bool { return row[0] == "`"+p.Name+"`" })
		if i < 0 {
			t.Errorf("the text does not have %s", p.Name)
			continue
		}
		proseOfParameter(t, p, rows[i])
		rows = slices.Delete(slices.Clone(rows), i, i+1)
	}
	page := componentOf(operation.Responses.Value("200").Value.Content["application/json"].Schema)
	if !strings.Contains(s.text, page) {
		t.Errorf("the response is not %s", page)
	}
	if strings.HasSuffix(page, "Page") {
		covered[page] = true
		proseOfProperties(t, page, doc.Components.Schemas[page].Value, rows)
	} else if len(rows) > 0 {
		t.Errorf("%v is not in the document", rows)
	}
	var codes []string
	for _, code := range slices.Sorted(maps.Keys(operation.Responses.Map())) {
		if code != "200" {
			codes = append(codes, code)
		}
	}
	if want := "Errors: " + strings.Join(codes, ", ") + " (spec 7)"; !strings.Contains(s.text, want) {
		t.Errorf("the text does not have %q", want)
	}
}

// proseOfParameter compares a row of parameter, type and rule.
func proseOfParameter(t *testing.T, p *openapi3.Parameter, row []string) {
	t.Helper()
	schema := p.Schema.Value
	var rules []string
	typ, _ := typeOf(p.Schema)
	switch {
	case schema.Type.Is(openapi3.TypeInteger):
		typ = "integer"
		rules = append(rules, fmt.Sprintf("%.0f to %.0f cents", *schema.Min, *schema.Max))
	case schema.MaxLength != nil:
		typ = "text"
		rules = append(rules, fmt.Sprintf("%d to %d characters", schema.MinLength, *schema.MaxLength))
	case schema.Type.Is(openapi3.TypeArray):
		if rules = append(rules, "not empty", "no value twice"); schema.MinItems != 1 || !schema.UniqueItems {
			t.Errorf("the document allows %s to be empty, or to have a value twice", p.Name)
		}
	case len(schema.AnyOf) > 0:
		typ = "text"
		for _, other := range schema.AnyOf {
			rules = append(rules, other.Value.Title)
		}
	case componentOf(p.Schema) == "UuidV4":
		rules = append(rules, "version 4")
	}
	if p.In == openapi3.ParameterInPath {
		rules = append(rules, "part of the path")
	}
	if row[1] != typ {
		t.Errorf("%s is a %s, in the document a %s", p.Name, row[1], typ)
	}
	for _, rule := range rules {
		if !strings.Contains(row[2], rule) {
			t.Errorf("%s: %q is not in the rule", p.Name, rule)
		}
	}
}

// TestProseOfErrors: the table of spec 7 and the document list the same statuses for each endpoint.
func TestProseOfErrors(t *testing.T) {
	doc, statuses := open(t), map[string]bool{}
	for _, row := range sectionOf(t, "7. Errors").rows {
		statuses[row[0]] = true
		for title, path := range operations {
			number, _, _ := strings.Cut(title, " ")
			want := row[2] == "all" || slices.Contains(strings.Split(row[2], ", "), number)
			if listed := doc.Paths.Value(path).Get.Responses.Value(row[0]) != nil; want != listed {
				t.Errorf("%s of spec %s: in the table %v, in the document %v", row[0], number, want, listed)
			}
		}
	}
	for _, e := range doc.endpoints(t) {
		for code := range e.Responses.Map() {
			if code != "200" && !statuses[code] {
				t.Errorf("%s of %s is not in the table", code, e.OperationID)
			}
		}
	}
}

// TestProseOfLimits: the table of spec 8 has the limits of the document.
func TestProseOfLimits(t *testing.T) {
	schemas := open(t).Components.Schemas
	deposits, withdrawals, code := schemas["DepositAmountBound"].Value, schemas["WithdrawalAmountBound"].Value, schemas["Code"].Value
	if *deposits.Max != *withdrawals.Max {
		t.Error("the maximum amounts differ")
	}
	want := []string{
		fmt.Sprintf("%.0f cent", *deposits.Min), fmt.Sprintf("%.0f cents", *withdrawals.Min),
		fmt.Sprintf("%.0f cents", *withdrawals.Max), fmt.Sprintf("%d to %d characters", code.MinLength, *code.MaxLength),
	}
	var got []string
	for _, row := range sectionOf(t, "8. Limits").rows {
		got = append(got, row[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table has %q, the document %q", got, want)
	}
}

// sectionOf returns the section with a title.
func sectionOf(t *testing.T, title string) section {
	t.Helper()
	sections := prose(t)
	i := slices.IndexFunc(sections, func(s section) bool { return s.title == title })
	if i < 0 {
		t.Fatalf("%s has no section %s", prosePath, title)
	}
	return sections[i]
}
