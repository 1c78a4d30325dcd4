package check

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"

	"pixgraph/serve"
)

// source is a parsed file of documents.
type source struct {
	operations, fragments []*definition
	named                 map[string]*definition // the fragments by name
	counts                map[int]int            // of the operations in each template
}

// definition is an operation or a fragment of a file.
type definition struct {
	source    *source
	text      string // as written, without comments before it
	operation *ast.OperationDefinition
	fragment  *ast.FragmentDefinition
	spreads   []*ast.FragmentSpread // in it, the first of each fragment
	used      bool                  // by an operation
	rejected  bool                  // has a problem already
	template  int                   // of a script, each of which is a document
}

func (d *definition) position() *ast.Position {
	if d.operation != nil {
		return d.operation.Position
	}
	return d.fragment.Position
}

// maxFile bounds a file of documents in bytes. Of typical documents, the parser reads it in about a second.
const maxFile = 4 << 20

// maxDefinitions bounds the operations and fragments of a file: a million of them would take minutes and a gigabyte.
const maxDefinitions = 10_000

// documents parses a file with operations and fragments. It does not parse a definition that is too long for a gateway.
func (r *run) documents(file File) {
	if len(file.Text) > maxFile {
		r.problem(file.Name, 0, 0, fmt.Sprintf("is larger than %d bytes", maxFile))
		return
	}
	text := bytes.ReplaceAll(file.Text, []byte("\r\n"), []byte("\n")) // after \r\n, columns of gqlparser are one too high
	input := &ast.Source{Name: file.Name, Input: string(text)}
	var ends []int
	if isScript(file.Name) {
		var ok bool
		if input.Input, ends, ok = r.templates(input); len(ends) == 0 {
			if ok {
				r.report.Empty = append(r.report.Empty, file.Name)
			}
			return
		}
	}
	parts, _ := split(input) // the parser reports the error
	if len(parts) > maxDefinitions {
		r.problemAt(&parts[maxDefinitions].at, fmt.Sprintf("the file has more than %d operations and fragments", maxDefinitions))
		return
	}
	for _, part := range parts {
		if len(part.text) <= r.gateway.Limits().Bytes {
			continue
		}
		_, err := r.gateway.Measure(part.text)
		if !part.ends {
			err = errors.New("the operation or fragment has no end")
		}
		r.problemAt(&part.at, err.Error())
		return
	}
	document, err := parser.ParseQuery(input)
	if err != nil {
		at, message := located(err, &ast.Position{Src: input})
		if _, err := parser.ParseSchema(input); err == nil {
			message = "this is a schema; check accepts operations and fragments"
		}
		r.problemAt(at, message)
		return
	}
	halves := serve.HalfPairs(input)
	input.Input = "" // validation would look for them in the whole file, for each operation
	s := &source{named: map[string]*definition{}, counts: map[int]int{}}
	for _, operation := range document.Operations {
		s.operations = append(s.operations, &definition{source: s, operation: operation, spreads: spreadsOf(operation.SelectionSet)})
	}
	for _, fragment := range document.Fragments {
		s.fragments = append(s.fragments, &definition{source: s, fragment: fragment, spreads: spreadsOf(fragment.SelectionSet)})
	}
	all := slices.Concat(s.operations, s.fragments)
	if len(all) == 0 {
		r.problem(file.Name, 0, 0, "the file has no operation and no fragment")
		return
	}
	slices.SortFunc(all, func(a, b *definition) int { return a.position().Start - b.position().Start })
	for i, part := range parts {
		all[i].text = part.text
		if all[i].template, _ = slices.BinarySearch(ends, part.at.Start); all[i].operation != nil {
			s.counts[all[i].template]++
		}
		for ; len(halves) > 0 && halves[0].Start < part.at.End; halves = halves[1:] {
			all[i].rejected = true
			r.problemAt(halves[0], serve.HalfPair)
		}
	}
	r.sources = append(r.sources, s)
	r.unique(s)
	for _, f := range s.fragments {
		r.fragments[f.fragment.Name] = append(r.fragments[f.fragment.Name], f)
	}
}

// part is the text of a definition in a file. It ends with the brace of its selection set, or else with the file.
type part struct {
	text string
	at   ast.Position
	ends bool
}

// split returns the texts of the definitions of a file, of which it reads maxDefinitions and one more.
func split(input *ast.Source) (parts []part, err error) {
	characters := []rune(input.Input) // positions count them
	tokens := lexer.New(input)
	var at *ast.Position // of the first token of a definition
	depth := 0
	var token lexer.Token
	token, err = tokens.ReadToken()
	for ; err == nil && token.Kind != lexer.EOF && len(parts) <= maxDefinitions; token, err = tokens.ReadToken() {
		if at == nil && token.Kind != lexer.Comment {
			at = &ast.Position{Start: token.Pos.Start, Line: token.Pos.Line, Column: token.Pos.Column, Src: input}
		}
		switch token.Kind {
		case lexer.BraceL, lexer.ParenL, lexer.BracketL:
			depth++
		case lexer.BraceR, lexer.ParenR, lexer.BracketR:
			depth--
			if depth == 0 && token.Kind == lexer.BraceR {
				at.End = token.Pos.End
				parts = append(parts, part{string(characters[at.Start:at.End]), *at, true})
				at = nil
			}
		}
	}
	if at != nil {
		at.End = len(characters)
		parts = append(parts, part{string(characters[at.Start:]), *at, false})
	}
	return parts, err
}

// documentOf says what the client sends as a whole.
func documentOf(d *definition) string {
	if isScript(d.position().Src.Name) {
		return "template"
	}
	return "file"
}

// unique checks the names of a file: clients send an operation by its name.
func (r *run) unique(s *source) {
	names := map[string]bool{}
	for _, o := range s.operations {
		switch name := o.operation.Name; {
		case name == "" && s.counts[o.template] > 1:
			r.problemAt(o.position(), "an operation without a name must be the only one of its "+documentOf(o))
		case name != "" && names[name]:
			r.problemAt(o.position(), fmt.Sprintf("the file has two operations with the name %q", name))
		default:
			names[name] = true
		}
	}
	for _, f := range s.fragments {
		name := f.fragment.Name
		if s.named[name] != nil {
			r.problemAt(f.position(), fmt.Sprintf("the file has two fragments with the name %q", name))
			continue
		}
		s.named[name] = f
	}
}

// operations checks the operations of a file.
func (r *run) operations(s *source) {
	for _, o := range s.operations {
		if r.use(o); r.report.Stopped {
			return
		}
		if document := r.check(o); document != nil {
			r.cost(document, o.operation, o.position())
		}
	}
}

// unused checks the fragments of a file that no operation uses. They are a mistake only next to operations.
func (r *run) unused(s *source) {
	for _, f := range s.fragments {
		if f.used || r.report.Stopped {
			continue
		}
		if s.counts[f.template] > 0 {
			r.problemAt(f.position(), fmt.Sprintf("no operation uses fragment %q", f.fragment.Name))
		}
		r.check(f)
	}
}

// check returns the document of an operation or a fragment, with the fragments that it uses, or nil if a gateway
// rejects it.
func (r *run) check(d *definition) *ast.QueryDocument {
	document, texts, accepted := &ast.QueryDocument{}, []string{}, true
	for _, each := range r.withFragments(d) {
		accepted = accepted && !each.rejected
		texts = append(texts, each.text)
		if each.operation != nil {
			document.Operations = append(document.Operations, each.operation)
		} else {
			document.Fragments = append(document.Fragments, each.fragment)
		}
	}
	if _, err := r.gateway.Measure(strings.Join(texts, "\n")); err != nil {
		r.problemAt(d.position(), err.Error())
		return nil
	}
	for _, err := range r.gateway.Validate(document) {
		at, message := located(err, d.position())
		clientOnly := isScript(at.Src.Name) && err.Rule == "KnownDirectives" && removed.MatchString(message)
		if err.Rule != "NoUnusedFragments" && !clientOnly { // those without an operation
			accepted = false
			if err.Rule == "KnownFragmentNames" {
				message += r.hints[at.Src.Name]
			}
			r.problemAt(at, message)
		}
	}
	if !accepted {
		return nil
	}
	return document
}

// cost adds an operation of a valid document with its cost.
func (r *run) cost(document *ast.QueryDocument, operation *ast.OperationDefinition, at *ast.Position) {
	lowest, highest, err := r.gateway.Cost(document, operation)
	if err != nil {
		r.problemAt(at, err.Error())
		return
	}
	r.report.Operations = append(r.report.Operations, Operation{
		string(operation.Operation), operation.Name, at.Src.Name, at.Line, at.Column, lowest, highest,
	})
}
