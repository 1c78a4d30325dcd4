package wire

import (
	"bytes"
	"encoding/json"
)

// Value is a value of a document. The zero Value is an absent member.
type Value struct {
	document *document
	at       uint32
}

// Exists reports whether the value exists: false for the zero Value.
func (v Value) Exists() bool { return v.document != nil }

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.Kind() == 'n' }

// Kind returns the first byte of a value that exists, which determines its JSON type: '"', '{', '[', 't', 'f', 'n', or
// the first byte of a number.
func (v Value) Kind() byte { return v.document.nodes[v.at].kind }

// IsNumber reports whether the value is a number.
func (v Value) IsNumber() bool { c := v.Kind(); return c == '-' || c-'0' <= 9 }

// IsPlain reports whether the value is a string of ASCII characters without escapes.
func (v Value) IsPlain() bool { return v.document.nodes[v.at].flags&plain != 0 }

// Bytes returns the JSON of the value, without the space around it. The caller must not modify it.
func (v Value) Bytes() []byte {
	n := &v.document.nodes[v.at]
	return v.document.bytes[n.start:n.end:n.end]
}

// Get returns the member with a name. It returns the zero Value if there is no such member, or if the value is not an
// object. If several members have the name, it returns the last one.
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

// Members returns the members of an object. It fails if the value is not an object.
func (v Value) Members() (Parts, error) {
	if v.Kind() != '{' {
		return Parts{}, ErrWrongKind
	}
	return v.parts(), nil
}

// Elements returns the elements of an array. It fails if the value is not an array, or has more than 1,000 elements.
func (v Value) Elements() (Parts, error) {
	if v.Kind() != '[' {
		return Parts{}, ErrWrongKind
	}
	if v.document.nodes[v.at].flags&tooLong != 0 {
		return Parts{}, ErrTooMany
	}
	parts := v.parts()
	if parts.document.nodes[parts.of].flags&unindexed != 0 {
		return Parts{}, ErrTooMany
	}
	return parts, nil
}

// parts returns the parts of an object or an array, which is indexed now if it was not before.
func (v Value) parts() Parts {
	if v.document.nodes[v.at].flags&unindexed != 0 {
		v, _ = Index(v.Bytes()) // it was scanned before, and is valid JSON
	}
	return Parts{v.document, v.at, v.at, v.document.nodes[v.at].next, v.at + 1}
}

// Parts iterates over the members of an object or the elements of an array:
//
//	for parts.Next() {
//		… parts.Value()
//	}
type Parts struct {
	document *document
	of       uint32
	at       uint32 // the current part
	end      uint32
	next     uint32
}

// Next advances to the next part, and reports whether there is one.
func (p *Parts) Next() bool {
	if p.next >= p.end {
		return false
	}
	p.at, p.next = p.next, p.document.nodes[p.next].next
	return true
}

// Value returns the current part.
func (p *Parts) Value() Value { return Value{p.document, p.at} }

// Name returns the name of the current member. It points into the document, unless the name has escapes.
func (p *Parts) Name() []byte {
	n := &p.document.nodes[p.at]
	if n.flags&oddName != 0 {
		return p.document.oddName(n)
	}
	return p.document.bytes[n.name : n.name+uint32(n.nameSize)]
}

// Len returns the number of parts.
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
