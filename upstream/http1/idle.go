package http1

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// idle has the idle connections of a host, the most recently used one last. That one is taken first, so that surplus
// connections reach their idle time.
//
//   - Key: the host, whose address and TLS configuration never change. Connections hold nothing of a caller but a hash
//     of its token: a connection is put back when its response was read to the end, and taken only while it is silent;
//     for settleTime, only for the same token.
//   - Bound: limit connections, each with 8 KiB for the reader, twice the largest request (a token has 16 KiB at most),
//     and with TLS up to 40 KiB for records and the certificates of the server. Usually 10 KiB, with TLS 40.
//   - Filled by: concurrent calls, so by any caller up to the limit of the queue.
//   - Emptied by: the sweeper after the idle time, the maximum age, the first connection that turns out to be dead or
//     silent until a deadline, and CloseIdle.
type idle struct {
	limit int
	seed  maphash.Seed  // of the hashes of tokens
	open  atomic.Int64  // connections, those in use included
	time  time.Duration // after which a connection is closed

	mutex    sync.Mutex
	conns    []*conn
	sweeper  *time.Timer // runs while there are connections
	sweeping bool
}

// settleTime is how long a connection is reused only for calls with the token of its last call. A server may send bytes
// that do not belong to a response shortly after it; if they arrive when the next request has been sent, nothing tells
// them from its response. Then they reach the same caller. Bytes that arrive later than that after a response, and
// while the next request is in flight, cannot be detected in HTTP/1.1. A host that is called with 1,000 tokens a second
// needs ten connections more.
const settleTime = 10 * time.Millisecond

// take returns a connection for a request that is alive, silent and not too old, or nil. It sets the connection's
// deadline. token is the hash of the request's token.
func (i *idle) take(request *Request, token uint64, now time.Time) *conn {
	if request.Fresh {
		return nil
	}
	for {
		i.mutex.Lock()
		at := i.find(token, now)
		if at < 0 {
			i.mutex.Unlock()
			return nil
		}
		c := i.conns[at]
		i.conns = slices.Delete(i.conns, at, at+1)
		i.mutex.Unlock()
		if !IsOld(c.tooOld, now) && c.usable(request.Deadline, now) {
			return c
		}
		c.close()
	}
}

// hash returns a hash of a token, so that connections keep no token and are compared quickly.
func (i *idle) hash(bearer string) uint64 { return maphash.String(i.seed, bearer) }

// find returns the index of the connection that was used last among those for a token, or -1. If as many connections
// are open as may be idle, it is that which has been silent longest, so that no further ones are opened. The caller
// holds the mutex.
func (i *idle) find(token uint64, now time.Time) int {
	if len(i.conns) == 0 {
		return -1
	}
	for at, c := range slices.Backward(i.conns) {
		if c.token == token || now.Sub(c.idleSince) >= settleTime {
			return at
		}
	}
	if i.open.Load() >= int64(i.limit) {
		return 0
	}
	return -1
}

// usable checks a connection, and sets its deadline. A request's deadline that is about to end must not interrupt the
// check: the connection would seem to be dead.
func (c *conn) usable(deadline, now time.Time) bool {
	look := deadline
	if earliest := now.Add(time.Second); look.Before(earliest) {
		look = earliest
	}
	return c.socket.SetDeadline(look) == nil && c.silent() && (look.Equal(deadline) || c.socket.SetDeadline(deadline) == nil)
}

// put keeps a connection, or closes it if it is too old or the limit is reached.
func (i *idle) put(c *conn) {
	i.mutex.Lock()
	c.idleSince = time.Now() // while holding the mutex, so that the connections are in the order of their times
	if len(i.conns) >= i.limit || IsOld(c.tooOld, c.idleSince) {
		i.mutex.Unlock()
		c.close()
		return
	}
	i.conns = append(i.conns, c)
	if !i.sweeping {
		i.sweepIn(i.time)
	}
	i.mutex.Unlock()
}

func (i *idle) sweepIn(d time.Duration) {
	i.sweeping = true
	if i.sweeper == nil {
		i.sweeper = time.AfterFunc(d, i.sweep)
		return
	}
	i.sweeper.Reset(d)
}

// sweep closes the connections that have reached the idle time.
func (i *idle) sweep() {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.sweeping = false
	now := time.Now()
	i.closeFirst(func(c *conn) bool { return now.Sub(c.idleSince) >= i.time })
	if len(i.conns) > 0 {
		i.sweepIn(i.time - now.Sub(i.conns[0].idleSince))
	}
}

// closeBefore closes the connections that were put back before the given time.
func (i *idle) closeBefore(when time.Time) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.closeFirst(func(c *conn) bool { return c.idleSince.Before(when) })
}

// closeFirst closes connections from the beginning, as long as the predicate holds. The caller holds the mutex.
func (i *idle) closeFirst(over func(*conn) bool) {
	n := 0
	for n < len(i.conns) && over(i.conns[n]) {
		i.conns[n].close()
		n++
	}
	i.conns = slices.Delete(i.conns, 0, n)
}

func (i *idle) closeAll() {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.closeFirst(func(*conn) bool { return true })
	if i.sweeping {
		i.sweeper.Stop()
		i.sweeping = false
	}
}
