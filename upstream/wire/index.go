package wire

import (
	"errors"
	"math"
	"slices"

	"pixgraph/internal/buffer"
)

// Errors of documents and values.
var (
	ErrNotJSON   = errors.New("is not JSON")
	ErrWrongKind = errors.New("is of the wrong JSON type")
	ErrTooMany   = errors.New("has too many elements")
)

// document is a JSON document and the positions of its values. Documents are much smaller than 4 GiB, since the size of
// bodies is limited.
type document struct {
	bytes []byte
	nodes []node // in the order of the document: a value is before the values in it

	memory []byte // of the nodes, unless they had to grow
}

// node is the position of a value.
type node struct {
	start, end uint32
	name       uint32 // of a member: the position of its name, after the quote
	next       uint32 // the node after this one and the nodes of the values in it
	nameSize   uint16 // bytes
	kind       byte   // the first byte of the value
	flags      flags
}

// flags are properties of a value that the scan finds.
type flags uint8

const (
	plain     flags = 1 << iota // a string of ASCII without escapes
	unindexed                   // an object or an array whose parts have no nodes
	oddName                     // the name of the member has escapes, or is too long for nameSize
	tooLong                     // an array of more than the maximum of elements, which are never indexed
)

// Index indexes a document: one JSON value, which may have space around it.
//
// Each value needs a node, which is small compared with usual values. In a document with very many tiny values the
// nodes would take more memory than the document, so only its upper levels are indexed. Deeper levels are indexed when
// they are read.
func Index(text []byte) (Value, error) { return index(text, maxLevels, maxElements) }

// IndexDerived is Index for a value that was derived from a record. A list in it may be of the elements of the longest
// list and a few others.
func IndexDerived(text []byte) (Value, error) { return index(text, maxLevels, maxElements+maxOthers) }

// IndexRecords is Index for a page whose caller reads only the direct members of the records. Values within those are
// scanned without nodes, and indexed only if they are read after all.
func IndexRecords(text []byte) (Value, error) { return index(text, recordLevels, maxElements) }

func index(text []byte, levels, elements int) (Value, error) {
	start := Space(text, 0)
	m := newMarks(text)
	defer m.release()
	c := indexer{bytes: text, marks: m.list, levels: levels, elements: elements, maxNodes: len(text)/minValueSize + 64}
	var memory []byte
	c.nodes, memory = newNodes(len(text)/usualValueSize + 8)
	end := c.add(start, name{}, 0)
	if c.full {
		c = indexer{bytes: text, marks: m.list, nodes: c.nodes[:0], levels: recordLevels, elements: elements, maxNodes: len(text)}
		end = c.add(start, name{}, 0)
	}
	if end < 0 || Space(text, end) != len(text) {
		buffer.Put(memory)
		return Value{}, ErrNotJSON
	}
	return Value{&document{text, c.nodes, memory}, 0}, nil
}

const (
	usualValueSize = 40   // average bytes of a value of the APIs
	minValueSize   = 8    // minimum average for all values of a document to have nodes
	maxLevels      = 32   // of nesting that Index indexes
	recordLevels   = 3    // of a page, its list and its records
	maxElements    = 1000 // of a list: ten times the largest page that is requested
	maxOthers      = 16   // elements of a derived list that are not of the list it was derived from
)

// indexer is the state of Index.
type indexer struct {
	bytes    []byte
	marks    []mark
	nodes    []node
	levels   int // of nesting to index
	elements int // the maximum of an array
	maxNodes int
	full     bool // whether maxNodes was reached
}

// name is the position of the name of a member.
type name struct {
	start uint32
	size  uint16
	flags flags
}

// add adds nodes for the value at the position and for the values in it. It returns the position after the value, or -1
// if it is invalid. The node of the value is written last.
func (c *indexer) add(i int, of name, depth int) int {
	at := len(c.nodes)
	if at >= c.maxNodes {
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
			end, seen = c.skipObject(i+1, depth+1), seen|unindexed
		} else {
			end = c.members(i+1, depth+1)
		}
	case '[':
		if depth < c.levels {
			end = c.array(i+1, depth+1)
		}
		if end == tooMany {
			seen |= tooLong
		}
		if depth >= c.levels || end == tooMany {
			c.nodes = c.nodes[:at+1]
			end, seen = c.skipArray(i+1, depth+1), seen|unindexed
		}
	default:
		end = scalarEnd(c.bytes, i)
	}
	if end >= 0 { // not as one literal: Go copies it from the stack, which waits until its parts are stored
		n := &c.nodes[at]
		n.start, n.end, n.name, n.next = uint32(i), uint32(end), of.start, uint32(len(c.nodes))
		n.nameSize, n.kind, n.flags = of.size, kind, seen
	}
	return end
}

// members adds nodes for the members of an object whose opening brace is before the position.
func (c *indexer) members(i, depth int) int {
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

// tooMany is the result of array for one of more elements than the maximum.
const tooMany = -2

// array adds nodes for the elements of an array whose opening bracket is before the position.
func (c *indexer) array(i, depth int) int {
	i = Space(c.bytes, i)
	if i < len(c.bytes) && c.bytes[i] == ']' {
		return i + 1
	}
	for range c.elements {
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
