package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// schema is the gateway's.
func schema(t *testing.T) *ast.Schema {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "graph", "*.graphqls"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var sources []*ast.Source
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, &ast.Source{Name: file, Input: string(text)})
	}
	loaded, err := gqlparser.LoadSchema(sources...)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// TestQueries: the queries are valid, and ask for as much as their titles say.
func TestQueries(t *testing.T) {
	queries, err := newQueries(newRecords(fewSets))
	if err != nil {
		t.Fatal(err)
	}
	s := schema(t)
	for _, q := range queries {
		document, errs := gqlparser.LoadQueryWithRules(s, q.document, rules.NewDefaultRules())
		if errs != nil {
			t.Errorf("%s: %v", q.name, errs)
			continue
		}
		operation := document.Operations[0]
		for _, set := range q.sets {
			if len(set.variables) != len(operation.VariableDefinitions) {
				t.Errorf("%s has %d variables, and is sent %d", q.name, len(operation.VariableDefinitions), len(set.variables))
				break
			}
		}
		if q.name == wide {
			nodes := selected(operation.SelectionSet[0].(*ast.Field).SelectionSet)[0]
			wholly(t, s, nodes)
		}
	}
}

// wholly fails the test unless a field's selection has all fields of its type, and so on.
func wholly(t *testing.T, s *ast.Schema, field *ast.Field) {
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
		if child, ok := has[want.Name]; ok {
			wholly(t, s, child)
		} else if want.Name != "__typename" {
			t.Errorf("%s.%s is not selected", definition.Name, want.Name)
		}
	}
}

// selected are the fields of a selection, fragments expanded.
func selected(set ast.SelectionSet) []*ast.Field {
	var fields []*ast.Field
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			fields = append(fields, selection)
		case *ast.FragmentSpread:
			fields = append(fields, selected(selection.Definition.SelectionSet)...)
		case *ast.InlineFragment:
			fields = append(fields, selected(selection.SelectionSet)...)
		}
	}
	return fields
}

// rendered are the records of a full plan. They are shared, as drawing the QR codes takes seconds under the race detector.
var rendered = sync.OnceValue(func() records { return newRecords(distinctSets) })

// TestSets: no two requests of a query are the same, and all their calls are answered.
func TestSets(t *testing.T) {
	r := rendered()
	queries, err := newQueries(r)
	if err != nil {
		t.Fatal(err)
	}
	bodies := r.bodies()
	for _, q := range queries {
		different := map[string]bool{}
		for i, s := range q.sets {
			request, err := q.post("/graphql", "token", s)
			if err != nil {
				t.Fatal(err)
			}
			different[string(request)] = true
			for _, round := range s.rounds {
				for _, target := range round {
					if bodies[target] == nil {
						t.Errorf("%s, variables %d: %s is not answered", q.name, i, target)
					}
				}
			}
		}
		if len(different) != len(q.sets) || (len(q.sets) != 1 && len(q.sets) != distinctSets) {
			t.Errorf("%s: %d sets, %d of them different", q.name, len(q.sets), len(different))
		}
	}
}

// TestPages: the deposits are as large as real ones with their QR codes.
func TestPages(t *testing.T) {
	bodies := rendered().bodies()
	for _, size := range []int{narrowPage, widePage} {
		var page struct {
			PerPage int
			Data    []struct {
				PixResponse struct{ QRCodeBase64 string }
			}
		}
		body := bodies[depositsPath(size)]
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
}
