package buffer_test

import (
	"testing"

	"pixgraph/internal/buffer"
)

func TestGet(t *testing.T) {
	for _, size := range []int{
		0, 1, buffer.MinSize - 1, buffer.MinSize, buffer.MinSize + 1, 3 * buffer.MinSize, 3*buffer.MinSize + 1, 100_000,
		buffer.MaxSize, buffer.MaxSize + 1,
	} {
		for range 3 {
			got := buffer.Get(size)
			if len(got) != 0 || cap(got) < size || cap(got) > max(2*size, buffer.MinSize) {
				t.Errorf("Get(%d) has length %d and capacity %d", size, len(got), cap(got))
			}
			buffer.Put(append(got, make([]byte, size)...))
		}
	}
}

// TestPut puts back buffers of every capacity near the pooled sizes. None may come out with a larger capacity than its
// memory, which the race detector's pointer checks would find.
func TestPut(*testing.T) {
	for _, size := range []int{
		0, 1, buffer.MinSize - 1, buffer.MinSize, buffer.MinSize + 1,
		2*buffer.MinSize - 1, 3*buffer.MinSize - 1, 3 * buffer.MinSize, buffer.MaxSize,
		buffer.MaxSize + buffer.MaxSize/2 - 1, buffer.MaxSize + buffer.MaxSize/2, 2*buffer.MaxSize - 1, 3 * buffer.MaxSize,
	} {
		buffer.Put(make([]byte, 0, size))
		got := buffer.Get(min(size, buffer.MaxSize))
		full := got[:cap(got)]
		for i := range full {
			full[i] = 1
		}
		buffer.Put(got)
	}
}

func TestGetReturnsDistinctBuffers(t *testing.T) {
	held := map[*byte]bool{}
	for range 100 {
		got := buffer.Get(buffer.MinSize)
		first := &got[:1][0]
		if held[first] {
			t.Fatal("Get returned a buffer that is in use")
		}
		held[first] = true
	}
}
