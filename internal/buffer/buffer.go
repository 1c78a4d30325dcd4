// Package buffer keeps the memory of bodies and answers from one request to the next. They are as large as a page of
// records; made anew for each request, touching and collecting that memory would cost more than what is done with it.
//
// It is for bytes with one owner at a time: whoever gets a buffer puts it back, or hands that duty on with the bytes, and
// nobody reads them afterwards. A buffer that is never put back is collected as any other memory, so whoever is not sure
// leaves it.
//
// Read first: Get.
package buffer

import (
	"math/bits"
	"sync"
	"unsafe"
)

// The sizes of buffers are powers of two between these, in bytes. A larger one is not kept: it would only lie there.
const (
	leastBits, mostBits = 12, 20

	Least = 1 << leastBits
	Most  = 1 << mostBits
)

// kept are the buffers of each size, as pointers to their first bytes: a slice in an interface would be allocated. There are
// as many as were in use at a time since the last but one collection, which requests are charged for while they use them
// (package quota); the collector takes those that nobody used meanwhile.
var kept [mostBits - leastBits + 1]sync.Pool

// Get returns an empty buffer with room for that many bytes.
func Get(size int) []byte {
	size = Size(size)
	if size > Most {
		return make([]byte, 0, size)
	}
	if first, ok := kept[bits.Len(uint(size))-1-leastBits].Get().(*byte); ok {
		return unsafe.Slice(first, size)[:0]
	}
	return make([]byte, 0, size)
}

// Size is the capacity of the buffer that Get returns for that many bytes.
func Size(size int) int {
	if size > Most {
		return size
	}
	return 1 << max(bits.Len(uint(max(size, 1)-1)), leastBits)
}

// Put takes a buffer back, whether it came from Get or not. It may have grown. With the race detector, what is in it is
// overwritten at once.
func Put(buffer []byte) {
	if cap(buffer) < Least || cap(buffer) >= 2*Most {
		return
	}
	poison(buffer)
	kept[bits.Len(uint(cap(buffer)))-1-leastBits].Put(unsafe.SliceData(buffer))
}
