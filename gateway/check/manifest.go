package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/guard/persisted"
)

// manifest checks the documents of a manifest. A problem of a document is at its id, or at its text if the manifest has
// no ids, and its message has the position in the document.
func (r *run) manifest(file File) {
	operations, err := persisted.ReadOperations(file.Text)
	if err != nil {
		r.problem(file.Name, 0, 0, "the manifest "+err.Error())
		return
	}
	ids := positions(file, operations)
	for _, o := range operations {
		if r.report.Stopped {
			return
		}
		at := cmp.Or(ids[o.ID], ids[o.Text])
		fail := func(err error) {
			place, message := located(err, &ast.Position{})
			within := ""
			if place.Line > 0 {
				within = fmt.Sprintf(" at %d:%d", place.Line, place.Column)
			}
			r.problemAt(at, fmt.Sprintf("document %q%s: %s", o.ID, within, message))
		}
		document, err := r.gateway.Measure(o.Text)
		if err != nil {
			fail(err)
			continue
		}
		errs := r.gateway.Validate(document)
		for _, err := range errs {
			fail(err)
		}
		if err := o.Check(document); err != nil {
			fail(err)
		} else if len(errs) == 0 {
			for _, operation := range document.Operations {
				r.cost(document, operation, at)
			}
		}
	}
}

// positions returns where the ids and the texts of operations are first written in a manifest.
func positions(file File, operations []persisted.Operation) map[string]*ast.Position {
	ids := map[string]*ast.Position{}
	for _, o := range operations {
		ids[o.ID], ids[o.Text] = nil, nil
	}
	src := &ast.Source{Name: file.Name}
	decoder := json.NewDecoder(bytes.NewReader(file.Text))
	for rest, line, column := file.Text, 1, 1; ; {
		end := decoder.InputOffset() // of the token before
		token, err := decoder.Token()
		if err != nil {
			return ids // the manifest was parsed: this is its end
		}
		id, isString := token.(string)
		if at, isID := ids[id]; !isString || !isID || at != nil {
			continue
		}
		begin := bytes.TrimLeft(file.Text[end:], " \t\r\n:,")
		before := rest[:len(rest)-len(begin)]
		rest = begin
		if last := bytes.LastIndexByte(before, '\n'); last >= 0 {
			line, column, before = line+bytes.Count(before, []byte("\n")), 1, before[last+1:]
		}
		column += utf8.RuneCount(before)
		ids[id] = &ast.Position{Src: src, Line: line, Column: column}
	}
}
