package contract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pixgraph/upstream/contract"
)

const repository = "../.."

// TestGenerated: what is generated from the document is committed.
func TestGenerated(t *testing.T) {
	doc, err := contract.Open(documentPath)
	must(t, err)
	files, err := doc.Generate(repository)
	must(t, err)
	for path, want := range files {
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("%s is not up to date: run make generate", strings.TrimPrefix(path, repository+"/"))
		}
	}
}

// changed opens the document with another text.
func changed(t *testing.T, text string) *contract.Document {
	t.Helper()
	path := filepath.Join(t.TempDir(), "api.yaml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	doc, err := contract.Open(path)
	must(t, err)
	return doc
}

// TestMarks: a part of the text that the document does not have, a part that is there twice, and a missing part are errors.
func TestMarks(t *testing.T) {
	doc, err := contract.Open(documentPath)
	must(t, err)
	prose, err := os.ReadFile(repository + "/docs/upstream-api.md")
	must(t, err)
	mark := "<!-- generated: limits -->"
	for name, text := range map[string]string{
		"unknown": strings.Replace(string(prose), mark, "<!-- generated: limit -->", 1), "missing": strings.Replace(string(prose), mark, "", 1),
		"twice": string(prose) + mark + "\n<!-- end -->\n",
	} {
		if _, err := doc.Tables(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestNewParameter: a parameter of a list with any form of schema leads to valid Go, or to an error that names it.
func TestNewParameter(t *testing.T) {
	text, err := os.ReadFile(documentPath)
	must(t, err)
	generated := filepath.Join(repository, "upstream", "contract.generated.go")
	for schema, want := range map[string]string{
		"{ type: string }":                              `query.text("payer", f.Payer)`,
		"{ type: string, enum: ['100%', B] }":           `case "100%", "B":`,
		"{ type: string, minLength: 1, maxLength: 60 }": `v.code("payer", f.Payer, 1, 60)`,
		"{ $ref: '#/components/schemas/Uuid' }":         `v.id("payer", f.Payer, UUID)`,
		"{ type: array, items: { type: string } }":      "parameter payer:",
		"{ type: integer }":                             "parameter payer:",
		"{ type: boolean }":                             "parameter payer:",
	} {
		parameter := "parameters:\n        - { name: payer, in: query, schema: " + schema + " }"
		files, err := changed(t, strings.Replace(string(text), "parameters:", parameter, 1)).Generate(repository)
		got := string(files[generated])
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: error %v, want %s", schema, err, want)
		}
	}
}

// TestNewFields: the schema gets the properties and the parameters that it lacks, and no id of a path.
func TestNewFields(t *testing.T) {
	text, err := os.ReadFile(documentPath)
	must(t, err)
	more := strings.NewReplacer(
		"        isInfoProduct: {", "        channels: { type: string, description: 'The \"shop\".' }\n        isInfoProduct: {",
		"        - name: depositOrigin", "        - { name: endToEnd, in: query, description: Its code., schema: { $ref: '#/components/schemas/Code' } }\n"+
			"        - { name: newId, in: path, description: A path., schema: { $ref: '#/components/schemas/Uuid' } }\n        - name: depositOrigin",
	).Replace(string(text))
	files, err := changed(t, more).Generate(repository)
	must(t, err)
	for noun, want := range map[string]string{
		"transaction": "\n  \"The \\\"shop\\\".\"\n  channels: String\n}\n", "deposit": "\n  \"Its code.\"\n  endToEnd: String\n}\n",
	} {
		schema := string(files[filepath.Join(repository, "graph", noun+".graphqls")])
		if strings.Count(schema, want) != 1 || strings.Contains(schema, "newId") {
			t.Errorf("%s.graphqls lacks %s, or has the id of a path", noun, want)
		}
	}
}
