package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"
)

// source is a parsed file of documents.
type source struct {
	operations, fragments []*definition
}

// definition is an operation or a fragment of a file.
type definition struct {
	text      string // as written, without comments before it
	operation *ast.OperationDefinition
	fragment  *ast.FragmentDefinition
	used      bool // by an operation
}

func (d *definition) position() *ast.Position {
	if d.operation != nil {
		return d.operation.Position
	}
	return d.fragment.Position
}

// documents parses a file with operations and fragments.
func (r *run) documents(file File) {
	text := bytes.ReplaceAll(file.Text, []byte("\r\n"), []byte("\n")) // after \r\n, columns of gqlparser are one too high
	input := &ast.Source{Name: file.Name, Input: string(text)}
	document, err := parser.ParseQuery(input)
	if err != nil {
		at, message := located(err, &ast.Position{Src: input})
		if _, err := parser.ParseSchema(input); err == nil {
			message = "this is a schema; check accepts operations and fragments"
		}
		r.problemAt(at, message)
		return
	}
	s := &source{}
	var all []*definition
	for _, operation := range document.Operations {
		s.operations = append(s.operations, &definition{operation: operation})
	}
	for _, fragment := range document.Fragments {
		s.fragments = append(s.fragments, &definition{fragment: fragment})
	}
	all = append(append(all, s.operations...), s.fragments...)
	if len(all) == 0 {
		r.problem(file.Name, 0, 0, "the file has no operation and no fragment")
		return
	}
	slices.SortFunc(all, func(a, b *definition) int { return a.position().Start - b.position().Start })
	for i, text := range split(input) {
		all[i].text = text
	}
	r.sources = append(r.sources, s)
	r.unique(s)
	for _, f := range s.fragments {
		r.fragments[f.fragment.Name] = append(r.fragments[f.fragment.Name], f)
	}
}

// split returns the texts of the definitions of a file, which was parsed. Each ends with the brace of its selection set.
func split(input *ast.Source) (texts []string) {
	characters := []rune(input.Input) // positions count them
	tokens := lexer.New(input)
	begin, depth := -1, 0
	for token, err := tokens.ReadToken(); err == nil && token.Kind != lexer.EOF; token, err = tokens.ReadToken() {
		if begin < 0 && token.Kind != lexer.Comment {
			begin = token.Pos.Start
		}
		switch token.Kind {
		case lexer.BraceL, lexer.ParenL, lexer.BracketL:
			depth++
		case lexer.BraceR, lexer.ParenR, lexer.BracketR:
			depth--
			if depth == 0 && token.Kind == lexer.BraceR {
				texts = append(texts, string(characters[begin:token.Pos.End]))
				begin = -1
			}
		}
	}
	return texts
}

// unique checks the names of a file: clients send an operation by its name.
func (r *run) unique(s *source) {
	names := map[string]bool{}
	for _, o := range s.operations {
		switch name := o.operation.Name; {
		case name == "" && len(s.operations) > 1:
			r.problemAt(o.position(), "an operation without a name must be the only one of its file")
		case name != "" && names[name]:
			r.problemAt(o.position(), fmt.Sprintf("the file has two operations with the name %q", name))
		default:
			names[name] = true
		}
	}
	names = map[string]bool{}
	for _, f := range s.fragments {
		if names[f.fragment.Name] {
			r.problemAt(f.position(), fmt.Sprintf("the file has two fragments with the name %q", f.fragment.Name))
		}
		names[f.fragment.Name] = true
	}
}

// operations checks the operations of a file.
func (r *run) operations(s *source) {
	for _, o := range s.operations {
		fragments := r.fragmentsOf(o)
		for _, f := range fragments {
			f.used = true
		}
		document := documentOf(fragments)
		document.Operations = ast.OperationList{o.operation}
		if r.check(document, o, fragments) {
			r.cost(document, o.operation, o.position())
		}
	}
}

// unused checks the fragments of a file that no operation uses. They are a mistake only next to operations.
func (r *run) unused(s *source) {
	for _, f := range s.fragments {
		if f.used {
			continue
		}
		if len(s.operations) > 0 {
			r.problemAt(f.position(), fmt.Sprintf("no operation uses fragment %q", f.fragment.Name))
		}
		fragments := r.fragmentsOf(f)
		r.check(documentOf(append(fragments, f)), f, fragments)
	}
}

func documentOf(fragments []*definition) *ast.QueryDocument {
	document := &ast.QueryDocument{}
	for _, f := range fragments {
		if !slices.Contains(document.Fragments, f.fragment) { // a fragment that spreads itself
			document.Fragments = append(document.Fragments, f.fragment)
		}
	}
	return document
}

// check reports whether a gateway accepts the document of an operation or a fragment, and of the fragments that it uses.
func (r *run) check(document *ast.QueryDocument, d *definition, fragments []*definition) bool {
	texts := []string{d.text}
	for _, f := range fragments {
		if f != d {
			texts = append(texts, f.text)
		}
	}
	if _, err := r.gateway.Measure(strings.Join(texts, "\n")); err != nil {
		r.problemAt(d.position(), err.Error())
		return false
	}
	accepted := true
	for _, err := range r.gateway.Validate(document) {
		if err.Rule == "NoUnusedFragments" {
			continue // fragments without an operation
		}
		accepted = false
		r.problemAt(located(err, d.position()))
	}
	return accepted
}

// cost adds an operation of a valid document with its cost.
func (r *run) cost(document *ast.QueryDocument, operation *ast.OperationDefinition, at *ast.Position) {
	least, most, err := r.gateway.Cost(document, operation)
	if err != nil {
		r.problemAt(at, err.Error())
		return
	}
	r.report.Operations = append(r.report.Operations, Operation{
		string(operation.Operation), operation.Name, at.Src.Name, at.Line, at.Column, least, most,
	})
}

// fragmentsOf returns the fragments that a definition uses, those within fragments too: each from the file that spreads it, or
// else from the only other file that has it.
func (r *run) fragmentsOf(d *definition) (found []*definition) {
	byName := map[string]*definition{}
	var visit func(set ast.SelectionSet)
	spread := func(at *ast.FragmentSpread) {
		f, ambiguous := r.fragment(at)
		if f == nil {
			return // validation reports it
		}
		if ambiguous || byName[at.Name] != nil && byName[at.Name] != f {
			r.problemAt(at.Position, fmt.Sprintf("several files have a fragment %q: %s", at.Name, r.filesOf(at.Name)))
		}
		if byName[at.Name] == nil {
			byName[at.Name] = f
			found = append(found, f)
			visit(f.fragment.SelectionSet)
		}
	}
	visit = func(set ast.SelectionSet) {
		for _, selection := range set {
			switch selection := selection.(type) {
			case *ast.Field:
				visit(selection.SelectionSet)
			case *ast.InlineFragment:
				visit(selection.SelectionSet)
			case *ast.FragmentSpread:
				spread(selection)
			}
		}
	}
	if d.operation != nil {
		visit(d.operation.SelectionSet)
	} else {
		visit(d.fragment.SelectionSet)
	}
	return found
}

// fragment returns the fragment of a spread, or nil if no file has it. It is ambiguous if several other files have it.
func (r *run) fragment(spread *ast.FragmentSpread) (found *definition, ambiguous bool) {
	candidates := r.fragments[spread.Name]
	for _, f := range candidates {
		if f.position().Src == spread.Position.Src {
			return f, false
		}
	}
	if len(candidates) == 0 {
		return nil, false
	}
	return candidates[0], len(candidates) > 1
}

// filesOf returns the files that have a fragment.
func (r *run) filesOf(fragment string) string {
	var files []string
	for _, f := range r.fragments[fragment] {
		files = append(files, f.position().Src.Name)
	}
	return strings.Join(slices.Compact(files), ", ")
}
