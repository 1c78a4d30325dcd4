package wire

import (
	"unsafe"

	"pixgraph/internal/buffer"
)

// nodeSize is what a node takes, in bytes.
const nodeSize = int(unsafe.Sizeof(node{}))

// newNodes returns an empty list with room for so many nodes, and the memory that it is in, which is used again: a page's
// nodes take 200 KB, and touching fresh memory takes longer than cutting the page.
func newNodes(room int) (list []node, memory []byte) {
	memory = buffer.Get(room * nodeSize)
	first := (*node)(unsafe.Pointer(unsafe.SliceData(memory))) // nodes hold no pointers, and buffers are aligned for anything
	return unsafe.Slice(first, cap(memory)/nodeSize)[:0], memory
}

// Memory is how many bytes a value's document was cut with.
func (v Value) Memory() int { return max(cap(v.document.memory), cap(v.document.nodes)*nodeSize) }

// Release gives back the memory that a value's document was cut with. Nobody may use any value of the document afterwards.
// It is for those who know that; otherwise the memory is collected as any other.
func (v Value) Release() {
	v.document.nodes = nil // whoever uses a value after all panics, instead of reading another document's
	buffer.Put(v.document.memory)
	v.document.memory = nil
}
