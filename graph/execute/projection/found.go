package projection

import (
	"reflect"

	"pixgraph/graph/execute/paging"
	"pixgraph/upstream"
)

// Found is the result of the resolver of a root field; nil for null. Its Go type determines how it is written, so plans
// need not know the types of records. One, Several, Entities and Page wrap the results of resolvers.
type Found interface {
	// write writes the selected fields. It returns false if the value is null.
	write(*writer, *plan) bool
}

// One wraps a record.
func One[T upstream.Resource](record *T, err error) (Found, error) {
	if record == nil || err != nil {
		return nil, err
	}
	return one[T]{record}, nil
}

type one[T upstream.Resource] struct{ record *T }

func (o one[T]) write(w *writer, p *plan) bool { return w.object(p.record, upstream.RawOf(o.record)) }

// Several wraps a list of records, with nil for each record that could not be fetched.
func Several[T upstream.Resource](records []*T, err error) (Found, error) {
	if records == nil || err != nil {
		return nil, err
	}
	return several[T](records), nil
}

type several[T upstream.Resource] []*T

func (s several[T]) write(w *writer, p *plan) bool {
	w.records(len(s), func(i int) (*object, upstream.Raw) {
		if s[i] == nil {
			return nil, upstream.Raw{}
		}
		return p.record, upstream.RawOf(s[i])
	})
	return true
}

// Entities wraps a list of records of several kinds, with nil for each record that could not be fetched.
func Entities(records []upstream.AnyResource, err error) (Found, error) {
	if records == nil || err != nil {
		return nil, err
	}
	return entities(records), nil
}

type entities []upstream.AnyResource

func (e entities) write(w *writer, p *plan) bool {
	w.records(len(e), func(i int) (*object, upstream.Raw) {
		if e[i] == nil {
			return nil, upstream.Raw{}
		}
		return p.entities[reflect.TypeOf(e[i]).Elem().Name()], upstream.RawOfAny(e[i])
	})
	return true
}

// records writes a list of n records. record returns the plan and the data of one; without a plan it is null. The links
// of all records are followed before the first one is written, so that the calls for them run at the same time.
func (w *writer) records(n int, record func(i int) (*object, upstream.Raw)) {
	waiting := make([][]Wait, n)
	for i := range n {
		if o, raw := record(i); o != nil {
			w.enterElement(i)
			waiting[i] = w.follow(o, raw)
			w.leave()
		}
	}
	w.elements(n, func(i int) {
		if o, raw := record(i); o == nil || !w.followed(o, raw, waiting[i]) {
			w.null()
		}
	})
}

// Page wraps a page of records.
func Page[T paging.Record](connection *paging.Connection[T], err error) (Found, error) {
	if connection == nil || err != nil {
		return nil, err
	}
	return list[T]{connection}, nil
}

type list[T paging.Record] struct{ connection *paging.Connection[T] }

func (l list[T]) write(w *writer, p *plan) bool {
	return page[T]{w, l.connection}.write(p.typeName, p.parts)
}
