package check

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/persisted"
)

// manifest checks the documents of a manifest. A problem of a document is at its id, and its message has the position in the
// document.
func (r *run) manifest(file File) {
	operations, err := persisted.ReadOperations(file.Text)
	if err != nil {
		r.problem(file.Name, 0, 0, "the manifest "+err.Error())
		return
	}
	for _, o := range operations {
		line, column := position(file.Text, o.ID)
		at := &ast.Position{Src: &ast.Source{Name: file.Name}, Line: line, Column: column}
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

// position returns the line and the column of an id in a manifest, or 1 and 1 if it is written with other escapes.
func position(text []byte, id string) (line, column int) {
	quoted, err := json.Marshal(id)
	if err != nil {
		return 1, 1
	}
	before := text[:max(0, bytes.Index(text, quoted))]
	return 1 + bytes.Count(before, []byte("\n")), 1 + len([]rune(string(before[1+bytes.LastIndexByte(before, '\n'):])))
}
