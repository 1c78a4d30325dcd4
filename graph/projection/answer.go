package projection

import (
	"pixgraph/graph/paging"
	"pixgraph/upstream"
)

// found is what the resolver of a root field found. Its Go type says how it is written: no plan has to know the types of
// records.
type found interface {
	// write writes the selection of it; false when it is null.
	write(*writer, *plan) bool
}

// one is a record.
type one[T upstream.Resource] struct{ record *T }

func (o one[T]) write(w *writer, p *plan) bool { return w.object(p.record, upstream.RawOf(o.record)) }

// several is a list of records, with nil for each that could not be fetched.
type several[T upstream.Resource] []*T

func (s several[T]) write(w *writer, p *plan) bool {
	w.buf = append(w.buf, '[')
	for i, record := range s {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if !w.reserve(elementBytes) {
			break
		}
		w.enterElement(i)
		if record == nil || !w.object(p.record, upstream.RawOf(record)) {
			w.null()
		}
		w.leave()
	}
	w.buf = append(w.buf, ']')
	return true
}

// list is a page of records.
type list[T paging.Record] struct{ connection *paging.Connection[T] }

func (l list[T]) write(w *writer, p *plan) bool {
	return page[T]{w, l.connection}.write(p.typeName, p.parts)
}
