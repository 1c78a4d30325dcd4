package envelope

import (
	"bytes"
	"sync"
)

// maxKeptBuffer is the largest capacity, in bytes, of a buffer that is pooled: enough for 100 records with all fields.
const maxKeptBuffer = 1 << 20

// buffers is a pool of buffers for the parts around the data of a response, and for compressed responses. Each has at
// most maxKeptBuffer bytes. The garbage collector frees unused ones.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// GetBuffer returns an empty buffer. The caller puts it back when nothing refers to its bytes.
func GetBuffer() *bytes.Buffer { return buffers.Get().(*bytes.Buffer) }

// PutBuffer returns a buffer to the pool.
func PutBuffer(buffer *bytes.Buffer) {
	if buffer.Cap() <= maxKeptBuffer {
		buffer.Reset()
		buffers.Put(buffer)
	}
}
