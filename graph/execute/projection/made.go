package projection

import (
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/upstream"
)

// Object is an object that the gateway makes, such as a page of records or a summary.
type Object interface {
	// Field returns the value of a field by its name in the schema: an int32, a bool, a string, an upstream.Text, which
	// may be nil for null, an upstream.Raw of a record, an Object, Objects, or Records.
	Field(name string) (any, error)
}

// Objects is a list of objects that the gateway makes.
type Objects interface {
	Len() int
	Object(i int) Object
}

// Records is a list of records of one type.
type Records interface {
	Len() int
	// Raw returns a record: the zero Raw for null, whose error is one of the response already.
	Raw(i int) (upstream.Raw, error)
}

// part is one response key of an object that the gateway makes.
type part struct {
	alias, name string
	key         []byte // the alias as written, with quotes and colon
	required    bool
	enum        *enum      // of a text that the API sends
	sub         *selection // of an object, or of each element of a list
}

// parts compiles a selection set on an object that the gateway makes.
func (c *compiler) parts(typeName string, selections ast.SelectionSet) (parts []part) {
	for _, selected := range graphql.CollectFields(c.operation, selections, []string{typeName}) {
		p := part{alias: selected.Alias, name: selected.Name, key: []byte(`"` + selected.Alias + `":`)}
		if selected.Name != typename {
			definition := c.Schema.Types[selected.Definition.Type.Name()]
			p.required = selected.Definition.Type.NonNull
			switch definition.Kind {
			case ast.Enum:
				p.enum = c.enums[definition.Name]
			case ast.Object:
				p.sub = c.selection(selected)
			}
		}
		parts = append(parts, p)
		c.size.Add(p.alias)
	}
	return parts
}

// Upper bounds of output, in bytes: partBytes of a count, a cursor or a type name, elementBytes of a null with a comma.
const (
	partBytes    = 64
	elementBytes = 8
)

// made writes an object that the gateway makes. It returns false if a non-null field is null.
func (w *writer) made(s *selection, o Object) bool {
	start := w.mark()
	if s.deferred != nil {
		w.capture(s.deferred, Made(o))
	}
	w.buf = append(w.buf, '{')
	for i := range s.parts {
		p := &s.parts[i]
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if !w.reserve(len(p.key) + partBytes) {
			break
		}
		w.buf = append(w.buf, p.key...)
		if p.name == typename {
			w.quoted(s.typeName)
			continue
		}
		w.enter(p.alias)
		written := w.part(p, o)
		w.leave()
		if !written {
			w.undo(start)
			return false
		}
	}
	w.buf = append(w.buf, '}')
	return true
}

// part writes a field of an object that the gateway makes. It returns false if a non-null field is null.
func (w *writer) part(p *part, o Object) bool {
	value, err := o.Field(p.name)
	if err != nil {
		w.fail(err)
	}
	if err == nil && w.value(p, value) {
		return true
	}
	if !p.required {
		w.null()
	}
	return !p.required
}

// value writes a value that the gateway makes. It returns false if it is null.
func (w *writer) value(p *part, value any) bool {
	switch value := value.(type) {
	case int32:
		w.buf = strconv.AppendInt(w.buf, int64(value), 10)
	case bool:
		w.boolean(value)
	case string:
		w.text(value)
	case upstream.Text:
		switch {
		case value == nil:
			return false
		case p.enum != nil:
			w.enum(p.enum, value)
		default:
			w.raw(value)
		}
	case upstream.Raw:
		return w.object(p.sub.record, value)
	case Object:
		return w.made(p.sub, value)
	case Objects:
		w.elements(value.Len(), func(i int) bool { return w.made(p.sub, value.Object(i)) })
	case Records:
		w.records(p.sub, value)
	default:
		return false
	}
	return true
}

// records writes a list of records. An invalid one is null, without affecting the others.
func (w *writer) records(s *selection, list Records) {
	w.elements(list.Len(), func(i int) bool {
		raw, err := list.Raw(i)
		if err != nil {
			w.fail(err)
			return false
		}
		return raw.Value.Exists() && w.object(s.record, raw)
	})
}

// reads reports whether a selection reads data within a member of a record.
func (s *selection) reads() bool {
	return s.record != nil && !s.record.shallow() ||
		slices.ContainsFunc(s.parts, func(p part) bool { return p.sub != nil && p.sub.reads() })
}
