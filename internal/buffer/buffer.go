// Package buffer reuses the memory of bodies and responses across requests. They are as large as a page of records.
// Allocating that memory for each request, clearing it and collecting it would cost more than the work on the data.
//
// It is for bytes with one owner at a time. The owner that gets a buffer puts it back, or passes that duty on with the
// bytes, and nothing reads the bytes afterwards. A buffer that is never put back is garbage-collected like other
// memory, so an owner does not put back a buffer that may still be read.
//
// Read first: Get.
package buffer

import (
	"math/bits"
	"sync"
	"unsafe"
)

// The sizes of buffers are powers of two between these, and the means of two neighbours, in bytes. Larger buffers are
// not pooled, because they would rarely be reused.
const (
	minBits, maxBits = 12, 20

	MinSize = 1 << minBits
	MaxSize = 1 << maxBits
)

// pools has one pool for each size, of pointers to the first byte of a buffer: a slice in an interface would need an
// allocation. A pool holds at most as many buffers as were in use at one time since the last but one collection, and
// requests are charged for buffers while they use them (package quota). The garbage collector frees buffers that were
// not used in between.
var pools [2*(maxBits-minBits) + 1]sync.Pool

// pool returns the pool of the largest size that is not above a capacity.
func pool(capacity int) *sync.Pool {
	n := bits.Len(uint(capacity))
	return &pools[2*(n-1-minBits)+capacity>>(n-2)&1]
}

// Get returns an empty buffer with a capacity of at least size bytes.
func Get(size int) []byte {
	size = Size(size)
	if size > MaxSize {
		return make([]byte, 0, size)
	}
	if first, ok := pool(size).Get().(*byte); ok {
		return unsafe.Slice(first, size)[:0]
	}
	return make([]byte, 0, size)
}

// Size returns the capacity of the buffer that Get returns for a size.
func Size(size int) int {
	switch {
	case size <= MinSize:
		return MinSize
	case size > MaxSize:
		return size
	}
	n := bits.Len(uint(size - 1))
	if mean := 3 << (n - 2); size <= mean {
		return mean
	}
	return 1 << n
}

// Put returns a buffer to its pool. The buffer may have grown, and need not be from Get. With the race detector its
// content is overwritten.
func Put(buffer []byte) {
	if cap(buffer) < MinSize || cap(buffer) >= MaxSize+MaxSize/2 {
		return
	}
	poison(buffer)
	pool(cap(buffer)).Put(unsafe.SliceData(buffer))
}
