package http1

import (
	"sync"
	"time"
)

// idle are the connections of a host that nobody uses, the one used last at the end. That one is taken first, so that
// those which are too many grow old.
//
//   - Key: the host, whose address and TLS configuration never change. Nothing of a caller: a connection is put back when its
//     answer was read to the end, and taken only while it is silent.
//   - Bound: most connections, each of 8 KiB for the reader, twice the largest request (a token has 16 KiB at most), and
//     with TLS up to 40 KiB for records and the certificates of the server. Usually 10 KiB, with TLS 40.
//   - Filled by: calls under way at the same time, so by any caller up to what the queue lets through.
//   - Emptied by: the sweeper after the idle time, the maximum age, the first connection that turns out to be dead or silent
//     until a deadline, and CloseIdle.
type idle struct {
	most int
	time time.Duration // after which one is closed
	now  func() time.Time

	mutex    sync.Mutex
	conns    []*conn
	sweeper  *time.Timer // runs while there are connections
	sweeping bool
}

// take returns a connection that is alive, silent and not too old, nil when there is none. Its deadline is set.
func (i *idle) take(deadline time.Time) *conn {
	for {
		i.mutex.Lock()
		last := len(i.conns) - 1
		if last < 0 {
			i.mutex.Unlock()
			return nil
		}
		c := i.conns[last]
		i.conns[last] = nil
		i.conns = i.conns[:last]
		i.mutex.Unlock()
		if !c.old(i.now()) && c.usable(deadline) {
			return c
		}
		c.close()
	}
}

// usable looks at a connection, and sets its deadline. One that is nearly over must not end the look: the connection would
// seem to be lost.
func (c *conn) usable(deadline time.Time) bool {
	look := deadline
	if least := time.Now().Add(time.Second); look.Before(least) {
		look = least
	}
	return c.socket.SetDeadline(look) == nil && c.silent() && (look.Equal(deadline) || c.socket.SetDeadline(deadline) == nil)
}

// put keeps a connection, or closes it when it is too old or there are enough.
func (i *idle) put(c *conn) {
	i.mutex.Lock()
	c.idleSince = i.now() // with the mutex, so that they are in the order of their times
	if len(i.conns) >= i.most || c.old(c.idleSince) {
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

// old reports whether the connection must not be used any more.
func (c *conn) old(now time.Time) bool { return !c.tooOld.IsZero() && !now.Before(c.tooOld) }

func (i *idle) sweepIn(d time.Duration) {
	i.sweeping = true
	if i.sweeper == nil {
		i.sweeper = time.AfterFunc(d, i.sweep)
		return
	}
	i.sweeper.Reset(d)
}

// sweep closes the connections that were idle for too long.
func (i *idle) sweep() {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.sweeping = false
	now := i.now()
	i.closeFirst(func(c *conn) bool { return now.Sub(c.idleSince) >= i.time })
	if len(i.conns) > 0 {
		i.sweepIn(i.time - now.Sub(i.conns[0].idleSince))
	}
}

// closeBefore closes the connections that were put back before a time.
func (i *idle) closeBefore(when time.Time) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.closeFirst(func(c *conn) bool { return c.idleSince.Before(when) })
}

// closeFirst closes the connections at the beginning for which it holds that they are over. The mutex is held.
func (i *idle) closeFirst(over func(*conn) bool) {
	n := 0
	for n < len(i.conns) && over(i.conns[n]) {
		i.conns[n].close()
		n++
	}
	left := copy(i.conns, i.conns[n:])
	clear(i.conns[left:])
	i.conns = i.conns[:left]
}

func (i *idle) closeAll() {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	for _, c := range i.conns {
		c.close()
	}
	clear(i.conns)
	i.conns = i.conns[:0]
	if i.sweeping {
		i.sweeper.Stop()
		i.sweeping = false
	}
}
