package incremental

import (
	"bytes"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/execute/deferral"
	"pixgraph/serve/envelope"
)

// pending announces fragments. Version 0.1 has no announcements.
func (r *Response) pending(to *bytes.Buffer, step *deferral.Step) {
	if r.Repeated {
		return
	}
	list(to, "pending", step.Pending, func(f *deferral.Fragment) {
		member(to, `{"id":`, f.ID)
		member(to, `,"path":`, pathOf(f.Path))
		if f.Label != nil {
			member(to, `,"label":`, *f.Label)
		}
	})
}

// deliveries writes the data of complete fragments.
func (r *Response) deliveries(to *bytes.Buffer, step *deferral.Step) {
	list(to, "incremental", step.Delivered, func(d deferral.Delivery) {
		to.WriteString(`{"data":`)
		r.data(to, d.Data)
		member(to, `,"id":`, d.Fragment.ID)
		if path := d.Path[len(d.Fragment.Path):]; len(path) > 0 {
			member(to, `,"subPath":`, path)
		}
		r.errors(to, d.Errors)
	})
}

// completed writes which fragments are complete, or why they have no data.
func (r *Response) completed(to *bytes.Buffer, step *deferral.Step) {
	list(to, "completed", step.Completed, func(f *deferral.Fragment) {
		member(to, `{"id":`, f.ID)
		r.errors(to, f.Errors)
	})
}

// fragments writes an entry for each complete fragment, in version 0.1.
func (r *Response) fragments(to *bytes.Buffer, step *deferral.Step) {
	list(to, "incremental", step.Completed, func(f *deferral.Fragment) {
		data, errs := f.Whole()
		to.WriteString(`{"data":`)
		r.data(to, data)
		member(to, `,"path":`, pathOf(f.Path))
		if f.Label != nil {
			member(to, `,"label":`, *f.Label)
		}
		r.errors(to, errs)
	})
}

// errors writes the member with errors, if there are any.
func (r *Response) errors(to *bytes.Buffer, errs gqlerror.List) {
	bounded := graphql.Response{Errors: errs}
	r.Bound(&bounded)
	for i, err := range bounded.Errors {
		if i == 0 {
			to.WriteString(`,"errors":[`)
		} else {
			to.WriteByte(',')
		}
		envelope.AppendError(to, err)
	}
	if len(bounded.Errors) > 0 {
		to.WriteByte(']')
	}
}

// list writes a member with a list of objects, whose elements are written without their end. An empty list is omitted.
func list[T any](to *bytes.Buffer, name string, elements []T, write func(T)) {
	if len(elements) == 0 {
		return
	}
	to.WriteString(`"` + name + `":[`)
	for i, element := range elements {
		if i > 0 {
			to.WriteByte(',')
		}
		write(element)
		to.WriteByte('}')
	}
	to.WriteString(`],`)
}

// member writes a value after the beginning of its member.
func member(to *bytes.Buffer, begin string, value any) {
	to.WriteString(begin)
	text, _ := json.Marshal(value) // a text or a path
	to.Write(text)
}

// pathOf returns a path that is an empty list for the root.
func pathOf(path ast.Path) ast.Path {
	if path == nil {
		return ast.Path{}
	}
	return path
}
