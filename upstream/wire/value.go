package wire

import (
	"bytes"
	"encoding/json"
)

// Value is a value of a document. The zero Value is none: a member that is absent.
type Value struct {
	document *document
	at       uint32
}

// Exists reports whether there is a value.
func (v Value) Exists() bool { return v.document != nil }

// IsNull reports whether it is null.
func (v Value) IsNull() bool { return v.Kind() == 'n' }

// Kind is the first byte of a value that exists, which tells its JSON type: '"', '{', '[', 't', 'f', 'n', and otherwise a
// number.
func (v Value) Kind() byte { return v.document.nodes[v.at].kind }

// IsNumber reports whether it is a number.
func (v Value) IsNumber() bool { c := v.Kind(); return c == '-' || c-'0' <= 9 }

// IsPlain reports whether it is a string of ASCII without escapes, quotes aside.
func (v Value) IsPlain() bool { return v.document.nodes[v.at].flags&plain != 0 }

// Bytes is the value as it was sent, without the space around it. The caller must not change it.
func (v Value) Bytes() []byte {
	n := &v.document.nodes[v.at]
	return v.document.bytes[n.start:n.end:n.end]
}

// Get returns the member of a name; no value when there is none, or the value is no object. Of two members of one name
// the last one counts.
func (v Value) Get(name string) (found Value) {
	members, err := v.Members()
	if err != nil {
		return found
	}
	for members.Next() {
		if string(members.Name()) == name {
			found = members.Value()
		}
	}
	return found
}

// Members returns the members of an object. It fails when the value is none.
func (v Value) Members() (Parts, error) {
	if v.Kind() != '{' {
		return Parts{}, ErrWrongKind
	}
	return v.parts(), nil
}

// Elements returns the elements of an array. It fails when the value is none, and when there are more than 1,000.
func (v Value) Elements() (Parts, error) {
	if v.Kind() != '[' {
		return Parts{}, ErrWrongKind
	}
	if v.document.nodes[v.at].flags&crowded != 0 {
		return Parts{}, ErrTooMany
	}
	parts := v.parts()
	if parts.document.nodes[parts.of].flags&uncut != 0 {
		return Parts{}, ErrTooMany
	}
	return parts, nil
}

// parts are the parts of an object or an array, which is cut now if it is not yet.
func (v Value) parts() Parts {
	if v.document.nodes[v.at].flags&uncut != 0 {
		v, _ = Index(v.Bytes()) // it was passed over already, and is JSON
	}
	return Parts{v.document, v.at, v.at, v.document.nodes[v.at].next, v.at + 1}
}

// Parts are the members of an object or the elements of an array, one after the other:
//
//	for parts.Next() {
//		… parts.Value()
//	}
type Parts struct {
	document *document
	of       uint32
	at       uint32 // the part that Next came to
	end      uint32
	next     uint32
}

// Next goes to the next part, and reports whether there is one.
func (p *Parts) Next() bool {
	if p.next >= p.end {
		return false
	}
	p.at, p.next = p.next, p.document.nodes[p.next].next
	return true
}

// Value is the part that Next came to.
func (p *Parts) Value() Value { return Value{p.document, p.at} }

// Name is the name of the member that Next came to, in the bytes that were sent unless there are escapes in it.
func (p *Parts) Name() []byte {
	n := &p.document.nodes[p.at]
	if n.flags&oddName != 0 {
		return p.document.oddName(n)
	}
	return p.document.bytes[n.name : n.name+uint32(n.nameSize)]
}

// Len counts the parts.
func (p *Parts) Len() int {
	count := 0
	for i := p.of + 1; i < p.end; i = p.document.nodes[i].next {
		count++
	}
	return count
}

func (d *document) oddName(n *node) []byte {
	var name string
	if json.NewDecoder(bytes.NewReader(d.bytes[n.name-1:])).Decode(&name) != nil {
		return nil
	}
	return []byte(name)
}

func hasEscape(text []byte) bool { return bytes.IndexByte(text, '\\') >= 0 }
