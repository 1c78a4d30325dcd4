package upstream_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pixgraph/upstream"
	"pixgraph/upstream/pix"
)

// docTable returns the rows of the table in docs/derived.md with these headings, without them.
func docTable(t *testing.T, headings string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("../docs/derived.md")
	must(t, err)
	_, table, found := strings.Cut(string(text), "\n| "+headings+" |\n")
	if !found {
		t.Fatalf("no table %s", headings)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.ReplaceAll(row, "`", ""), "|\n"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows[1:]
}

// TestDocumentedFields: docs/derived.md lists every derived field.
func TestDocumentedFields(t *testing.T) {
	var listed []string
	for _, row := range docTable(t, "field | computed from") {
		listed = append(listed, strings.Split(row[0], ", ")...)
	}
	paths, err := filepath.Glob("../graph/*.graphqls")
	must(t, err)
	var derived []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(t, err)
		typ := ""
		for _, match := range schemaLine.FindAllStringSubmatch(string(text), -1) {
			if match[1] != "" {
				typ = match[1]
			} else if upstream.Derived(match[2]) != nil {
				derived = append(derived, typ+"."+match[2])
			}
		}
	}
	slices.Sort(listed)
	slices.Sort(derived)
	if !slices.Equal(listed, derived) {
		t.Errorf("%v are listed, %v are derived", listed, derived)
	}
}

// schemaLine begins a type or a field of the schema.
var schemaLine = regexp.MustCompile(`(?m)^type (\w+)|^  (\w+)[(:]`)

// TestDocumentedVerdicts: the table of docs/derived.md has the verdict of each status and result of attempts.
func TestDocumentedVerdicts(t *testing.T) {
	examples := map[string]string{
		"none": "", "one with 2xx": "200 500", "the last one with 3xx": "404 301", "the last one with 4xx": "500 404",
		"the last one with 5xx": "404 503", "the last one without a status code, or with 0": "404 0", "the last one with another status code": "500 101",
	}
	for _, row := range docTable(t, "attempts | RECEIVED | SENT | FAILED, ERROR") {
		executions, known := examples[row[0]]
		if !known {
			t.Errorf("attempts without an example: %s", row[0])
		}
		delete(examples, row[0])
		for status, want := range map[string]string{"RECEIVED": row[1], "SENT": row[2], "FAILED": row[3], "ERROR": row[3]} {
			if got := deliveryOf(t, `{"status":"`+status+`","executions":`+executionsOf(executions)+`}`); got.Verdict != want {
				t.Errorf("%s, %s: %s, documented as %s", status, row[0], got.Verdict, want)
			}
		}
	}
	if len(examples) > 0 {
		t.Errorf("not in the table: %v", examples)
	}
}

// TestDocumentedKeys: the examples of docs/derived.md are right.
func TestDocumentedKeys(t *testing.T) {
	for _, row := range docTable(t, "text | type | normalized | problems") {
		key := pix.ParseKey(row[0])
		var problems []string
		for _, problem := range key.Problems {
			problems = append(problems, string(problem.Code))
		}
		if string(key.Type) != row[1] || key.Normal != row[2] || strings.Join(problems, ", ") != row[3] {
			t.Errorf("%v is read as %+v", row, key)
		}
	}
}
