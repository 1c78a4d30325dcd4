package nethttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pixgraph/upstream/http1"
)

// conn is a connection, which several requests share.
type conn struct {
	*http.ClientConn
	tooOld time.Time    // when it gets no more requests; zero for never
	heard  atomic.Int64 // when the last response began, as Unix time in nanoseconds
	users  int          // requests; of the pool
}

// takesRequests reports whether the connection can have one more request.
func (c *conn) takesRequests() bool {
	if c.Reserve() != nil {
		return false
	}
	c.Release()
	return true
}

// pool has the connections that can get requests. The one that was made last gets the next request, so that surplus
// connections reach their idle time, after which net/http closes them.
//
//   - Key: the host, whose address never changes. A connection holds nothing of a caller, except the last request in a
//     buffer for writing, and the headers of the server in HTTP/2's decoder.
//   - Bound: one connection for each request in progress, and as many that became idle within the idle time, each with
//     8 KiB of buffers, up to 40 KiB for TLS, and what package egress allows HTTP/2 to receive in advance.
//   - Filled by: concurrent calls that exceed what the server allows on a connection, so by any caller up to the limit
//     of the queue.
//   - Emptied by: the maximum age, a request without a response, and closeIdle; the next request, which removes those
//     that have ended: after the idle time, a lost ping, or GOAWAY.
type pool struct {
	mutex sync.Mutex
	conns []*conn
	// streams is how many requests the server allows on a connection. A new connection does not know that before the
	// server's settings arrive.
	streams int
	// dialing is the connection that is being made, nil for none. The other calls wait for it.
	dialing *dialing
}

// dialing is a connection that is being made; err may be read when done is closed.
type dialing struct {
	done chan struct{}
	err  error
}

// acquire returns a connection for one request, which must be released.
func (p *pool) acquire(ctx context.Context, open func(context.Context) (*conn, error)) (c *conn, err error) {
	for {
		p.mutex.Lock()
		if c := p.take(); c != nil {
			p.mutex.Unlock()
			return c, nil
		}
		other := p.dialing
		if other == nil {
			break
		}
		p.mutex.Unlock()
		select {
		case <-other.done:
			if other.err != nil {
				return nil, other.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	own := &dialing{done: make(chan struct{})}
	p.dialing = own
	p.mutex.Unlock()
	defer func() { p.dialed(own, c) }()
	if c, err = open(ctx); err == nil {
		if c.Reserve() != nil { // the server has closed it, or allows no requests
			_ = c.Close()
			c, err = nil, io.ErrUnexpectedEOF
		}
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		own.err = err // the end of this call says nothing to the other calls
	}
	return c, err
}

// dialed adds a new connection, and lets the calls continue that wait for it.
func (p *pool) dialed(own *dialing, c *conn) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.dialing = nil
	close(own.done)
	if c == nil {
		return
	}
	c.users = 1
	if p.streams == 0 {
		p.streams = c.Available() + c.InFlight()
	}
	for i, other := range slices.Backward(p.conns) {
		if http1.IsOld(other.tooOld, time.Now()) {
			p.remove(i)
		}
	}
	p.conns = append(p.conns, c)
}

// take returns a connection that can have one more request, or nil. The caller holds the mutex.
func (p *pool) take() *conn {
	now := time.Now()
	for i, c := range slices.Backward(p.conns) {
		switch {
		case c.Err() != nil:
			p.remove(i)
		case http1.IsOld(c.tooOld, now) && p.dialing == nil: // the caller makes another one; until then other calls use this one
		case c.users >= p.streams:
		case c.Reserve() == nil:
			c.users++
			return c
		case c.users == 0: // after GOAWAY, or the server allows no requests
			p.remove(i)
		}
	}
	return nil
}

// remove removes a connection, which is closed after its last request. The caller holds the mutex.
func (p *pool) remove(i int) {
	c := p.conns[i]
	p.conns = slices.Delete(p.conns, i, i+1)
	if c.users == 0 {
		_ = c.Close()
	}
}

// retire removes a connection.
func (p *pool) retire(c *conn) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if at := slices.Index(p.conns, c); at >= 0 {
		p.remove(at)
	}
}

// release ends a request.
func (p *pool) release(c *conn) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	c.users--
	if free := c.Available(); free > 0 {
		p.streams = free + c.InFlight()
	}
	switch at := slices.Index(p.conns, c); {
	case at >= 0 && c.Err() != nil:
		p.remove(at)
	case at < 0 && c.users == 0:
		_ = c.Close()
	}
}

// closeIdle closes the connections without a request.
func (p *pool) closeIdle() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for i, c := range slices.Backward(p.conns) {
		if c.users == 0 {
			p.remove(i)
		}
	}
}
