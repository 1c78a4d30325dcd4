package contract_test

import (
	"os"
	"strings"
	"testing"

	"pixgraph/upstream/contract"
)

const repository = "../.."

// TestGenerated: what is generated from the document is committed.
func TestGenerated(t *testing.T) {
	doc, err := contract.Open(documentPath)
	if err != nil {
		t.Fatal(err)
	}
	files, err := doc.Generate(repository)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("%s is not up to date: run make generate", strings.TrimPrefix(path, repository+"/"))
		}
	}
}

// TestMarks: a part of the text that the document does not have, a part that is there twice, and a missing part are errors.
func TestMarks(t *testing.T) {
	doc, err := contract.Open(documentPath)
	if err != nil {
		t.Fatal(err)
	}
	prose, err := os.ReadFile(repository + "/docs/upstream-api.md")
	if err != nil {
		t.Fatal(err)
	}
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
