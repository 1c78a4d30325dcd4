package wire

import (
	"encoding/json"
	"errors"
)

// What can be wrong with what is cut.
var (
	ErrNotJSON   = errors.New("is not JSON")
	ErrWrongKind = errors.New("is of the wrong JSON type")
	ErrTooMany   = errors.New("has too many elements")
)

// Member is a member of an object: where its name stands, without quotes, and its value.
type Member struct {
	name, value span
	escaped     bool // whether there are escapes in the name
}

// span is a part of a document. Documents are far below 4 GiB: bodies are capped.
type span struct{ start, end uint32 }

func (s span) of(document []byte) []byte { return document[s.start:s.end:s.end] }

// Object is an object that is cut into its members, which stand in the document in the order they were sent.
type Object struct {
	document []byte
	members  []Member
}

// Index cuts a document that is one object. The whole of it is checked.
func Index(document []byte) (Object, error) {
	at := Space(document, 0)
	if at == len(document) || document[at] != '{' {
		return Object{}, kindError(document, at)
	}
	members, end := appendMembers(make([]Member, 0, min(len(document)/minMember, usualMembers)), document, at, 1)
	if end < 0 || Space(document, end) != len(document) {
		return Object{}, ErrNotJSON
	}
	return Object{document, members}, nil
}

const (
	// usualMembers is about what a record has.
	usualMembers = 32
	// minMember is about the least that a member takes in bytes: what there is of memory for those that take less.
	minMember = 16
)

// kindError tells a value of another kind from what is no value.
func kindError(document []byte, at int) error {
	if end := End(document, at); end < 0 || Space(document, end) != len(document) {
		return ErrNotJSON
	}
	return ErrWrongKind
}

// appendMembers cuts the object at b[i] and returns the position behind it; -1 when it is none.
func appendMembers(members []Member, b []byte, i, depth int) ([]Member, int) {
	return (&cutter{document: b}).members(members, i, depth)
}

// members is appendMembers; the array that is the member of the name c.list is cut on the way.
func (c *cutter) members(members []Member, i, depth int) ([]Member, int) {
	b := c.document
	i = Space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return members, i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return members, -1
		}
		var m Member
		m.name.start = uint32(i + 1)
		end, escaped := nameEnd(b, i+1)
		if end < 0 {
			return members, -1
		}
		m.name.end, m.escaped = uint32(end-1), escaped
		if i = Space(b, end); i >= len(b) || b[i] != ':' {
			return members, -1
		}
		i = Space(b, i+1)
		m.value.start = uint32(i)
		if c.list != "" && c.list == string(m.nameIn(b)) {
			i = c.array(i)
		} else {
			i = value(b, i, depth)
		}
		if i < 0 {
			return members, -1
		}
		m.value.end = uint32(i)
		members = append(members, m)
		if i = Space(b, i); i >= len(b) {
			return members, -1
		}
		switch b[i] {
		case ',':
			i = Space(b, i+1)
		case '}':
			return members, i + 1
		default:
			return members, -1
		}
	}
}

// nameEnd passes over a name whose opening quote is before b[i]. Names are short and rarely have escapes.
func nameEnd(b []byte, i int) (end int, escaped bool) {
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1, false
		case c == '\\':
			return stringEnd(b, i), true
		case c < ' ':
			return -1, false
		}
	}
	return -1, false
}

// Len is how many members the object has.
func (o Object) Len() int { return len(o.members) }

// Name is the name of a member, in the bytes that were sent unless there are escapes in it.
func (o Object) Name(i int) []byte { return o.members[i].nameIn(o.document) }

func (m Member) nameIn(document []byte) []byte {
	if !m.escaped {
		return m.name.of(document)
	}
	var name string
	if json.Unmarshal(document[m.name.start-1:m.name.end+1], &name) != nil {
		return nil
	}
	return []byte(name)
}

// Value is the value of a member.
func (o Object) Value(i int) []byte { return o.members[i].value.of(o.document) }

// Get returns the value of the member of a name, nil when there is none. Of two members of one name the last one counts.
func (o Object) Get(name string) []byte {
	for i := len(o.members) - 1; i >= 0; i-- {
		if string(o.Name(i)) == name {
			return o.Value(i)
		}
	}
	return nil
}

// Split cuts a document that is one array into its elements, most of them at most.
func Split(document []byte, most int) ([][]byte, error) {
	at := Space(document, 0)
	if at == len(document) || document[at] != '[' {
		return nil, kindError(document, at)
	}
	elements := make([][]byte, 0, min(len(document)/minMember, usualMembers))
	i := Space(document, at+1)
	if i < len(document) && document[i] == ']' {
		i++
		return elements, wholly(document, i)
	}
	for {
		end := value(document, i, 1)
		switch {
		case end < 0:
			return nil, ErrNotJSON
		case len(elements) == most:
			return nil, ErrTooMany
		}
		elements = append(elements, document[i:end:end])
		if i = Space(document, end); i >= len(document) {
			return nil, ErrNotJSON
		}
		switch document[i] {
		case ',':
			i = Space(document, i+1)
		case ']':
			return elements, wholly(document, i+1)
		default:
			return nil, ErrNotJSON
		}
	}
}

func wholly(document []byte, end int) error {
	if Space(document, end) != len(document) {
		return ErrNotJSON
	}
	return nil
}
