package wire

import "sync"

// mark is two bit masks of a block of 64 bytes. The lowest bit is the first byte.
type mark struct {
	stop uint64 // quotes, backslashes and control characters, at which the scan of a string must stop
	high uint64 // bytes above ASCII
}

// blockSize is the number of bytes of a mark.
const blockSize = 64

// marks are the marks of a document: of its complete blocks, and of the rest, padded with zero bytes, which are control
// characters.
type marks struct{ list []mark }

// marksPool pools the memory of marks, which is needed only while a document is indexed.
var marksPool = sync.Pool{New: func() any { return new(marks) }}

// newMarks returns the marks of a document. The caller must release them.
func newMarks(document []byte) *marks {
	m := marksPool.Get().(*marks)
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

// maxPooledMarks bounds the marks in a pooled list: those of a document of 2 MiB.
const maxPooledMarks = 32 << 10

func (m *marks) release() {
	if cap(m.list) <= maxPooledMarks {
		marksPool.Put(m)
	}
}
