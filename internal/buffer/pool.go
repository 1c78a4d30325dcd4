package buffer

import (
	"bytes"
	"sync"
)

// Pool reuses buffers that grow while they are written, each with one owner at a time. The garbage collector frees
// unused ones.
type Pool struct {
	limit   int
	buffers sync.Pool
}

// NewPool returns a pool of buffers of at most limit bytes; larger ones are not kept.
func NewPool(limit int) *Pool {
	return &Pool{limit: limit, buffers: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
}

// Get returns an empty buffer. The caller puts it back when nothing refers to its bytes.
func (p *Pool) Get() *bytes.Buffer { return p.buffers.Get().(*bytes.Buffer) }

// Put returns a buffer to the pool.
func (p *Pool) Put(buffer *bytes.Buffer) {
	if buffer.Cap() <= p.limit {
		buffer.Reset()
		p.buffers.Put(buffer)
	}
}
