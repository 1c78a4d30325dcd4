package projection

import (
	"github.com/99designs/gqlgen/graphql"

	"pixgraph/upstream"
)

// Values that the API sends as a string or as an object.

// contact writes an e-mail address or a phone number.
func (w *writer) contact(o *object, contact *upstream.Contact) {
	w.members(o, func(name string) {
		if name == "raw" {
			w.raw(contact.Raw())
			return
		}
		w.optional(contact.Value())
	})
}

// document writes a document that was sent as a string. One that was sent as an object is written as other objects.
func (w *writer) document(o *object, value upstream.Text) {
	w.members(o, func(name string) {
		if name == "value" {
			w.optional(value)
			return
		}
		w.null() // type, which only an object has
	})
}

// members writes an object whose fields cannot fail.
func (w *writer) members(o *object, write func(name string)) {
	if !w.reserve(o.fixed) {
		return
	}
	w.buf = append(w.buf, '{')
	for i, f := range o.fields {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = append(w.buf, f.key...)
		if f.kind == kindTypename {
			w.quoted(o.typeName)
			continue
		}
		write(f.name)
	}
	w.buf = append(w.buf, '}')
}

func (w *writer) optional(text upstream.Text) {
	if text == nil {
		w.null()
		return
	}
	w.raw(text)
}

// text writes a string with the escapes of gqlgen.
func (w *writer) text(text string) {
	const longest = len(`\u0000`) // the longest encoding of a byte
	if w.reserve(longest*len(text) + len(`""`)) {
		graphql.MarshalString(text).MarshalGQL(w)
	}
}

// Write implements io.Writer, for gqlgen's marshalers.
func (w *writer) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	return len(p), nil
}
