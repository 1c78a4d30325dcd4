package wire

import (
	"unsafe"

	"pixgraph/internal/buffer"
)

// nodeSize is what a node takes, in bytes.
const nodeSize = int(unsafe.Sizeof(node{}))

// newNodes returns an empty list with room for so many nodes, in memory that is used again: that of a page is 200 KB, and
// touching fresh memory takes longer than cutting the page.
func newNodes(room int) []node {
	memory := buffer.Get(room * nodeSize)
	first := (*node)(unsafe.Pointer(unsafe.SliceData(memory))) // nodes hold no pointers, and buffers are aligned for anything
	return unsafe.Slice(first, cap(memory)/nodeSize)[:0]
}

// Release gives back the memory that a value's document was cut with. Nobody may use any value of the document afterwards.
// It is for those who know that; otherwise the memory is collected as any other.
func (v Value) Release() {
	nodes := v.document.nodes
	v.document.nodes = nil // whoever uses a value after all panics, instead of reading another document's
	first := (*byte)(unsafe.Pointer(unsafe.SliceData(nodes)))
	buffer.Put(unsafe.Slice(first, cap(nodes)*nodeSize)[:0])
}
