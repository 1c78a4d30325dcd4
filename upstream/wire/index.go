package wire

import (
	"errors"
	"math"
	"slices"

	"pixgraph/internal/buffer"
)

// What can be wrong with what is cut.
var (
	ErrNotJSON   = errors.New("is not JSON")
	ErrWrongKind = errors.New("is of the wrong JSON type")
	ErrTooMany   = errors.New("has too many elements")
)

// document is a JSON document and where its values stand in it. Documents are far below 4 GiB: bodies are capped.
type document struct {
	bytes []byte
	nodes []node // each before those in it, in the order of the document

	memory []byte // of the nodes, unless there are more than it has room for
}

// node is where a value stands.
type node struct {
	start, end uint32
	name       uint32 // of a member: where its name begins, behind the quote
	next       uint32 // the node behind this one and all that is in it
	nameSize   uint16 // bytes
	kind       byte   // the first byte of the value
	flags      flags
}

// flags are what was seen of a value on the way.
type flags uint8

const (
	plain   flags = 1 << iota // a string of ASCII without escapes
	uncut                     // an object or an array whose parts have no nodes
	oddName                   // the name of the member has escapes, or more bytes than nameSize can tell
	crowded                   // an array of more than maxParts elements, which are never cut
)

// Index passes over a document, which is one JSON value with or without space around it.
//
// Each value takes a node, which is small beside what values usually take. In a document of nothing but tiny values it
// would not be, so there only the upper levels are cut, and the others when they are asked for.
func Index(text []byte) (Value, error) { return index(text, deepLevels) }

// IndexRecords is Index for a page of which only the records' own members will be read. What is within those is passed over,
// and cut when it is asked for after all.
func IndexRecords(text []byte) (Value, error) { return index(text, fewLevels) }

func index(text []byte, levels int) (Value, error) {
	start := Space(text, 0)
	m := newMarks(text)
	defer m.release()
	c := cutter{bytes: text, marks: m.list, levels: levels, most: len(text)/leastSize + 64}
	var memory []byte
	c.nodes, memory = newNodes(len(text)/usualSize + 8)
	end := c.add(start, name{}, 0)
	if c.full {
		c = cutter{bytes: text, marks: m.list, nodes: c.nodes[:0], levels: fewLevels, most: len(text)}
		end = c.add(start, name{}, 0)
	}
	if end < 0 || Space(text, end) != len(text) {
		buffer.Put(memory)
		return Value{}, ErrNotJSON
	}
	return Value{&document{text, c.nodes, memory}, 0}, nil
}

const (
	usualSize  = 40   // bytes that values of the APIs take, on average
	leastSize  = 8    // bytes that they take on average at least, for all of them to have nodes
	deepLevels = 32   // within each other that are cut
	fewLevels  = 3    // a page, its list, its records
	maxParts   = 1000 // elements that a list is cut into: ten times the largest page that is asked for
)

// cutter is what Index knows on its way.
type cutter struct {
	bytes  []byte
	marks  []mark
	nodes  []node
	levels int  // that are cut
	most   int  // nodes that there may be
	full   bool // that there would be more
}

// name is where the name of a member stands.
type name struct {
	start uint32
	size  uint16
	flags flags
}

// add adds a node for the value at the position, and those in it. It returns the position behind the value, -1 when it is
// none. The node is written when all is known of it.
func (c *cutter) add(i int, of name, depth int) int {
	at := len(c.nodes)
	if at >= c.most {
		c.full = true
		return -1
	}
	if at == cap(c.nodes) {
		c.nodes = slices.Grow(c.nodes, 1)
	}
	c.nodes = c.nodes[:at+1]
	if i >= len(c.bytes) {
		return -1
	}
	end, seen, kind := -1, of.flags, c.bytes[i]
	switch kind {
	case '"':
		var isPlain bool
		if end, isPlain = c.stringEnd(i + 1); isPlain {
			seen |= plain
		}
	case '{':
		if depth >= c.levels {
			end, seen = c.skipObject(i+1, depth+1), seen|uncut
		} else {
			end = c.members(i+1, depth+1)
		}
	case '[':
		if depth < c.levels {
			end = c.elements(i+1, depth+1)
		}
		if end == tooMany {
			seen |= crowded
		}
		if depth >= c.levels || end == tooMany {
			c.nodes = c.nodes[:at+1]
			end, seen = c.skipArray(i+1, depth+1), seen|uncut
		}
	default:
		end = scalarEnd(c.bytes, i)
	}
	if end >= 0 {
		c.nodes[at] = node{uint32(i), uint32(end), of.start, uint32(len(c.nodes)), of.size, kind, seen}
	}
	return end
}

// members adds the members of an object whose brace is before the position.
func (c *cutter) members(i, depth int) int {
	b := c.bytes
	i = Space(b, i)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		end, isPlain := c.stringEnd(i + 1)
		if end < 0 {
			return -1
		}
		size := end - len(`""`) - i
		of := name{uint32(i + 1), uint16(size), 0}
		if !isPlain && hasEscape(b[i+1:end-1]) || size > math.MaxUint16 {
			of.flags = oddName
		}
		if i = colon(b, end); i < 0 {
			return -1
		}
		if i = c.add(i, of, depth); i < 0 {
			return -1
		}
		var more bool
		if i, more = separator(b, i, '}'); !more {
			return i
		}
	}
}

// tooMany stands for the position behind an array of more than maxParts elements.
const tooMany = -2

// elements adds the elements of an array whose bracket is before the position.
func (c *cutter) elements(i, depth int) int {
	i = Space(c.bytes, i)
	if i < len(c.bytes) && c.bytes[i] == ']' {
		return i + 1
	}
	for range maxParts {
		if i = c.add(i, name{}, depth); i < 0 {
			return -1
		}
		var more bool
		if i, more = separator(c.bytes, i, ']'); !more {
			return i
		}
	}
	return tooMany
}
