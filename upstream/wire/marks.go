package wire

import "sync"

// mark tells of 64 bytes of a document, one bit each from the lowest on.
type mark struct {
	stop uint64 // the bytes at which a string cannot be passed over blindly: quotes, backslashes, control characters
	high uint64 // those above ASCII
}

// blockSize is how many bytes a mark is for.
const blockSize = 64

// marks are the marks of a document: those of the whole blocks, and of what is left, with control characters behind it.
type marks struct{ list []mark }

// marked keeps the memory of marks, which are needed only while a document is cut.
var marked = sync.Pool{New: func() any { return new(marks) }}

// newMarks marks a document. The marks must be released.
func newMarks(document []byte) *marks {
	m := marked.Get().(*marks)
	blocks := len(document) / blockSize
	if cap(m.list) <= blocks {
		m.list = make([]mark, blocks+1, blocks+blocks/4+1)
	}
	m.list = m.list[:blocks+1]
	if blocks > 0 {
		markBlocks(&m.list[0], &document[0], blocks)
	}
	var last [blockSize]byte
	copy(last[:], document[blocks*blockSize:])
	markBlocks(&m.list[blocks], &last[0], 1)
	return m
}

// maxKeptMarks is how many marks are kept: those of a document of 2 MiB.
const maxKeptMarks = 32 << 10

func (m *marks) release() {
	if cap(m.list) <= maxKeptMarks {
		marked.Put(m)
	}
}
