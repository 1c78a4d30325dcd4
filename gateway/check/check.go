// Package check checks the documents of clients as `pixgraph check` prints it: each operation is parsed, measured,
// validated and estimated as a gateway does before it executes it. It sends no request, and knows no values of
// variables.
//
// Read Run first.
package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/request"
	"pixgraph/serve"
)

// File is a file with documents, or with a manifest of persisted documents.
type File struct {
	Name string
	Text []byte
}

// Problem is a reason for which a gateway rejects an operation.
type Problem struct {
	File         string
	Line, Column int // from 1; 0 for the file as a whole
	Message      string
}

// String returns the problem in one line, in the form of compilers.
func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	return oneLine(at + ": " + p.Message)
}

// oneLine replaces characters that control a terminal or reorder its text. Names of files and literals in messages may
// have them.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return ' '
	}, text)
}

// Operation is an operation that a gateway accepts, with bounds of its cost.
type Operation struct {
	Kind, Name   string // Name is "" for an anonymous operation
	File         string
	Line, Column int
	Min, Max     request.Cost // depending on its variables
}

// String returns the operation and its cost in one line.
func (o Operation) String() string {
	name := strings.TrimSpace(o.Kind + " " + o.Name)
	lowest, highest, limit := o.Min.UpstreamCalls, o.Max.UpstreamCalls, o.Min.Max
	calls := fmt.Sprintf("upstream calls: %d", lowest)
	switch {
	case highest > limit:
		calls += fmt.Sprintf(" or more, depending on its variables; rejected above %d", limit)
	case highest > lowest:
		calls += fmt.Sprintf(" to %d, depending on its variables", highest)
	}
	return oneLine(fmt.Sprintf("%s (%s:%d:%d): %s", name, o.File, o.Line, o.Column, calls))
}

// Report is the result of a run. Operations and problems are in the order of the files.
type Report struct {
	Operations []Operation
	Problems   []Problem
	Stopped    bool     // after MaxProblems
	Empty      []string // scripts without an operation and a fragment, next to files that have some
}

// MaxProblems is how many problems are reported. With more, the files are probably not what the caller means.
const MaxProblems = 1000

// run is the state of a Run.
type run struct {
	gateway   *serve.Checker
	order     map[string]int // of the files, by name
	report    Report
	sources   []*source
	fragments map[string][]*definition // of all files, by name
	problems  map[Problem]bool         // of the report
	hints     map[string]string        // where the fragments of a script may be, by its name
}

// Run checks files. They are the documents of one client: a fragment may be in another file than the operation that
// uses it. An operation is checked with the fragments that it uses, as clients send it. A document of a manifest is
// checked as it is.
func Run(gateway *serve.Checker, files []File) Report {
	r := &run{
		gateway: gateway, order: map[string]int{}, fragments: map[string][]*definition{}, problems: map[Problem]bool{}, hints: map[string]string{},
	}
	for i, file := range files {
		r.order[file.Name] = i
		switch line, column := invalid(file.Text); {
		case line > 0:
			r.problem(file.Name, line, column, "the text is not UTF-8")
		case !isScript(file.Name) && json.Valid(withoutMark(file.Text)):
			r.manifest(file) // with the mark, which a gateway rejects
		default:
			r.documents(File{file.Name, withoutMark(file.Text)})
		}
	}
	for _, s := range r.sources {
		r.operations(s)
	}
	for _, s := range r.sources {
		r.unused(s)
	}
	if len(r.sources)+len(r.report.Operations)+len(r.report.Problems) == 0 { // a set of scripts may have some without
		for _, name := range r.report.Empty {
			r.problem(name, 0, 0, "the file has no template of gql, graphql or /* GraphQL */")
		}
		r.report.Empty = nil
	}
	slices.SortStableFunc(r.report.Problems, func(a, b Problem) int {
		return cmp.Or(r.order[a.File]-r.order[b.File], a.Line-b.Line, a.Column-b.Column, cmp.Compare(a.Message, b.Message))
	})
	slices.SortStableFunc(r.report.Operations, func(a, b Operation) int { return r.order[a.File] - r.order[b.File] })
	return r.report
}

// withoutMark returns a text without a byte order mark, which editors do not count as a column.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// invalid returns the position of the first byte that is not UTF-8, or 0.
func invalid(text []byte) (line, column int) {
	if utf8.Valid(text) {
		return 0, 0
	}
	line, column = 1, 1
	for {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			return line, column
		case r == '\n':
			line, column = line+1, 1
		default:
			column++
		}
		text = text[size:]
	}
}

// problem adds a problem. That of a fragment is one of each operation that uses it, and is added once.
func (r *run) problem(file string, line, column int, message string) {
	p := Problem{file, line, column, message}
	switch {
	case r.problems[p]:
	case len(r.problems) == MaxProblems:
		r.report.Stopped = true
	default:
		r.problems[p] = true
		r.report.Problems = append(r.report.Problems, p)
	}
}

// problemAt adds an error at a position.
func (r *run) problemAt(at *ast.Position, message string) {
	r.problem(at.Src.Name, at.Line, at.Column, message)
}

// located returns the position in an error of gqlparser, or fallback without one.
func located(err error, fallback *ast.Position) (at *ast.Position, message string) {
	var found *gqlerror.Error
	if !errors.As(err, &found) {
		return fallback, err.Error()
	}
	if len(found.Locations) == 0 {
		return fallback, found.Message
	}
	place := *fallback
	place.Line, place.Column = found.Locations[0].Line, found.Locations[0].Column
	if file, ok := found.Extensions["file"].(string); ok {
		place.Src = &ast.Source{Name: file}
	}
	return &place, found.Message
}
