package projection

import (
	"reflect"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/upstream"
)

// Found is what a root field or a link leads to; nil for null. One, Several, Entities and Made wrap the results of
// resolvers. Its Go type determines how it is written, so plans need not know the types of records.
type Found interface {
	// write writes the selected fields. It returns false if the value is null.
	write(*writer, *selection) bool
	// lead follows the selected links within the value at a path.
	lead(*writer, *selection, ast.Path)
}

// One wraps a record.
func One[T upstream.Resource](record *T, err error) (Found, error) {
	if record == nil || err != nil {
		return nil, err
	}
	return one[T]{record}, nil
}

type one[T upstream.Resource] struct{ record *T }

func (o one[T]) write(w *writer, s *selection) bool {
	return w.object(s.record, upstream.RawOf(o.record))
}

func (o one[T]) lead(w *writer, s *selection, at ast.Path) {
	w.leadRecord(s.record, upstream.RawOf(o.record), at)
}

// Several wraps a list of records, with nil for each record that could not be fetched.
func Several[T upstream.Resource](records []*T, err error) (Found, error) {
	if records == nil || err != nil {
		return nil, err
	}
	return several[T](records), nil
}

type several[T upstream.Resource] []*T

// Len implements Records.
func (l several[T]) Len() int { return len(l) }

// Raw implements Records.
func (l several[T]) Raw(i int) (upstream.Raw, error) {
	if l[i] == nil {
		return upstream.Raw{}, nil
	}
	return upstream.RawOf(l[i]), nil
}

func (l several[T]) write(w *writer, s *selection) bool {
	w.records(s, l)
	return true
}

func (l several[T]) lead(w *writer, s *selection, at ast.Path) { w.leadValue(s, Records(l), at) }

// Entities wraps a list of records of several kinds, with nil for each record that could not be fetched.
func Entities(records []upstream.AnyResource, err error) (Found, error) {
	if records == nil || err != nil {
		return nil, err
	}
	return entities(records), nil
}

type entities []upstream.AnyResource

func (l entities) write(w *writer, s *selection) bool {
	w.elements(len(l), func(i int) bool { return l[i] != nil && w.object(s.of(l[i]), upstream.RawOfAny(l[i])) })
	return true
}

func (l entities) lead(w *writer, s *selection, at ast.Path) {
	for i, record := range l {
		if record != nil {
			w.leadRecord(s.of(record), upstream.RawOfAny(record), with(at, ast.PathIndex(i)))
		}
	}
}

// of returns the plan for a record of several types. Their names are equal in Go and in the schema.
func (s *selection) of(record upstream.AnyResource) *object {
	return s.entities[reflect.TypeOf(record).Elem().Name()]
}

// MadeOf wraps an object that the gateway makes, as the result of a resolver. The zero value is null.
func MadeOf[T interface {
	comparable
	Object
}](object T, err error) (Found, error) {
	if object == *new(T) || err != nil {
		return nil, err
	}
	return made{object}, nil
}

// Made wraps an object that the gateway makes.
func Made(object Object) Found { return made{object} }

type made struct{ Object }

func (m made) write(w *writer, s *selection) bool { return w.made(s, m.Object) }

func (m made) lead(w *writer, s *selection, at ast.Path) { w.leadValue(s, m.Object, at) }

// record wraps a record of any kind, for a deferred fragment.
type record struct{ upstream.Raw }

func (r *record) write(w *writer, s *selection) bool { return w.object(s.record, r.Raw) }

func (r *record) lead(w *writer, s *selection, at ast.Path) { w.leadRecord(s.record, r.Raw, at) }
