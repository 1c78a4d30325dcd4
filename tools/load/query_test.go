package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/sandbox/ledger"
	"pixgraph/upstream"
)

// fewSets are enough for a page of a hundred, and for five transactions of one request.
const fewSets = 13

// loadSchema reads the gateway's schema.
func loadSchema(t *testing.T) *ast.Schema {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "graph", "*.graphqls"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	var sources []*ast.Source
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, &ast.Source{Name: path, Input: string(text)})
	}
	loaded, err := gqlparser.LoadSchema(sources...)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// TestDocuments: all documents are valid, and Q3 selects everything that the API sends.
func TestDocuments(t *testing.T) {
	s := loadSchema(t)
	paths, err := files.ReadDir("queries")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(path.Name(), ".graphql")
		parsed, errs := gqlparser.LoadQueryWithRules(s, document(name), rules.NewDefaultRules())
		if errs != nil {
			t.Errorf("%s: %v", name, errs)
		} else if name == "Q3" {
			checkAllSelected(t, s, selected(parsed.Operations[0].SelectionSet[0].(*ast.Field).SelectionSet)[0])
		}
	}
}

// checkAllSelected fails the test unless a field's selection has all fields of its type, and so on.
func checkAllSelected(t *testing.T, s *ast.Schema, field *ast.Field) {
	t.Helper()
	has := map[string]*ast.Field{}
	for _, child := range selected(field.SelectionSet) {
		has[child.Name] = child
	}
	definition := s.Types[field.Definition.Type.Name()]
	if definition.Kind != ast.Object {
		return
	}
	for _, want := range definition.Fields {
		if child, found := has[want.Name]; found {
			checkAllSelected(t, s, child)
		} else if want.Name != "__typename" && upstream.Derived(want.Name) == nil {
			t.Errorf("%s.%s is not selected", definition.Name, want.Name)
		}
	}
}

// selected are the fields of a selection set, fragments expanded.
func selected(set ast.SelectionSet) []*ast.Field {
	var fields []*ast.Field
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			fields = append(fields, selection)
		case *ast.FragmentSpread:
			fields = append(fields, selected(selection.Definition.SelectionSet)...)
		}
	}
	return fields
}

// TestSets: no two requests of a query are the same, all their calls have a response, and there are as many calls as
// the report says.
func TestSets(t *testing.T) {
	queries, apis := newQueries(ledger.New(ledger.Config{Records: fewSets * recordsPer}), fewSets)
	calls := map[string]int{"Q1": 1, "Q2": 1, "Q3": 1, "Q4": 25, "Q5": 4}
	for _, q := range queries {
		different := map[string]bool{}
		for i, set := range q.sets {
			different[string(post("/graphql", "token", operation{Query: document(q.name), Variables: set.variables}))] = true
			count := 0
			for _, round := range set.calls {
				count += len(round)
				for _, target := range round {
					if apis.responses[target].Response == nil {
						t.Errorf("%s, variables %d: %s has no response", q.name, i, target)
					}
				}
			}
			if count != calls[q.name] {
				t.Errorf("%s, variables %d: %d calls, not %d", q.name, i, count, calls[q.name])
			}
		}
		if len(different) != len(q.sets) || len(q.sets) != 1 && len(q.sets) != fewSets {
			t.Errorf("%s: %d sets of variables, %d of them different", q.name, len(q.sets), len(different))
		}
	}
}

// TestPage: the deposits are as large as real ones with their QR codes.
func TestPage(t *testing.T) {
	l := ledger.New(ledger.Config{Records: 200})
	a := &apis{responses: map[string]script{}}
	const size = 40
	body := a.responses[a.page("deposit", l.Deposits(), size)].Response
	var page struct {
		PerPage int
		Data    []struct {
			PixResponse struct{ QRCodeBase64 string }
		}
	}
	if err := json.Unmarshal(body, &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Data) != size || page.PerPage != size {
		t.Fatalf("%d deposits on a page of %d", len(page.Data), page.PerPage)
	}
	image := 0
	for _, deposit := range page.Data {
		image += len(deposit.PixResponse.QRCodeBase64)
	}
	if whole, image := len(body)/size, image/size; whole < 4<<10 || whole > 6<<10 || image < 2<<10 || image > 4<<10 {
		t.Errorf("a deposit has %d bytes, %d of them the QR code", whole, image)
	}
}
