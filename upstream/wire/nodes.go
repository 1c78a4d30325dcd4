package wire

import (
	"unsafe"

	"pixgraph/internal/buffer"
)

// nodeSize is the size of a node in bytes.
const nodeSize = int(unsafe.Sizeof(node{}))

// newNodes returns an empty list with a capacity of n nodes, and its memory, which is pooled. The nodes of a page take
// 200 KB, and page faults in new memory take longer than indexing the page.
func newNodes(n int) (list []node, memory []byte) {
	memory = buffer.Get(n * nodeSize)
	first := (*node)(unsafe.Pointer(unsafe.SliceData(memory))) // nodes contain no pointers, and buffers are aligned for any type
	return unsafe.Slice(first, cap(memory)/nodeSize)[:0], memory
}

// Memory returns the size of the index of the document in bytes.
func (v Value) Memory() int { return max(cap(v.document.memory), cap(v.document.nodes)*nodeSize) }

// Release returns the memory of the index to the pool. No value of the document may be used afterwards. Without a call
// of Release, the garbage collector frees the memory.
func (v Value) Release() {
	v.document.nodes = nil // so that later use of a value panics, instead of reading another document
	buffer.Put(v.document.memory)
	v.document.memory = nil
}
