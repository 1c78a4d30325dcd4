package projection

import (
	"github.com/99designs/gqlgen/graphql"

	"pixgraph/upstream"
)

// answerer writes what a root field's resolver found; false when it is null.
type answerer func(w *writer, found any) bool

// record compiles a root field that is one record, or a list of records with a null for each that could not be had.
func record[T upstream.Withdrawal | upstream.Transaction | upstream.Notification](c *compiler, root graphql.CollectedField) answerer {
	selection := c.object(root.Definition.Type.Name(), root.Selections)
	if selection == nil {
		return nil
	}
	return func(w *writer, found any) bool {
		if one, ok := found.(*T); ok {
			return w.object(selection, upstream.RawOf(one))
		}
		w.buf = append(w.buf, '[')
		for i, one := range found.([]*T) {
			if i > 0 {
				w.buf = append(w.buf, ',')
			}
			if !w.reserve(elementBytes) {
				break
			}
			w.enterElement(i)
			if one == nil || !w.object(selection, upstream.RawOf(one)) {
				w.null()
			}
			w.leave()
		}
		w.buf = append(w.buf, ']')
		return true
	}
}
