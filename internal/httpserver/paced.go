package httpserver

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// pacedConn is a connection below TLS that reads slowly what leads to nothing. A client of HTTP/2 can send thousands of
// frames in a packet, each of which costs some microseconds: settings, pings, requests that it resets or that are
// refused. So a connection may send firstBytes, and then bytesPerSecond, in addition to what it earns by requests with
// a successful response, by bodies that are read, and by responses. A connection of a client that does not offer HTTP/2
// is not paced: it has one request at a time. Nor is one of a proxy, on which a client would slow down others.
type pacedConn struct {
	net.Conn
	closed context.Context // ends when it is closed
	end    context.CancelFunc
	earns  chan struct{} // receives a value when there is credit again

	mu     sync.Mutex
	credit float64 // bytes that may be read now; below 0 if more were read
	at     time.Time
	free   bool // whether it is not paced
}

const (
	// firstBytes is enough for a handshake, and a request with a large token.
	firstBytes = 24 << 10
	// bytesPerSecond is for frames that keep a connection open.
	bytesPerSecond = 4 << 10
	// earned is the credit of a successful request in addition to that of its header and its response.
	earned = 1 << 10
	// acknowledged is how many bytes of a response earn one. Go's client sends 48 bytes for 4 KiB that it has read:
	// two frames in a record of TLS.
	acknowledged = 64
	// Of a header, smallHeader bytes earn credit, and values that do not fit into HPACK's table, at the fewest bits of
	// its code. What fits into the table, a client can send again by a byte.
	smallHeader, tableSize = 2 << 10, 4 << 10
	// lost is the credit that another request costs: its bytes may be few, since headers are compressed.
	lost = 256
	// maxDebt is how much credit may be missing: two seconds.
	maxDebt = 8 << 10
	// maxCredit is that of some successful requests.
	maxCredit = 128 << 10
)

// pacedListener has connections that are paced.
type pacedListener struct{ net.Listener }

// Accept implements net.Listener.
func (l pacedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &pacedConn{Conn: conn, earns: make(chan struct{}, 1), credit: firstBytes, at: time.Now()}
	c.closed, c.end = context.WithCancel(context.Background())
	if proxy, ok := conn.(interface{ OfProxy() bool }); ok {
		c.free = proxy.OfProxy()
	}
	return c, nil
}

// pacedOf returns the connection of a request; nil without TLS.
func pacedOf(r *http.Request) *pacedConn {
	if secure, ok := connectionOf(r).Conn.(*tls.Conn); ok {
		paced, _ := secure.NetConn().(*pacedConn)
		return paced
	}
	return nil
}

// Read implements net.Conn.
func (c *pacedConn) Read(p []byte) (int, error) {
	for {
		wait := c.untilCredit()
		if wait <= 0 {
			break
		}
		select {
		case <-time.After(wait):
		case <-c.earns:
		case <-c.closed.Done():
			return 0, net.ErrClosed
		}
	}
	n, err := c.Conn.Read(p)
	c.earn(-n)
	return n, err
}

// Close implements net.Conn.
func (c *pacedConn) Close() error {
	c.end()
	return c.Conn.Close()
}

// untilCredit returns the time after which the connection has credit without earning any; 0 if it may read now.
func (c *pacedConn) untilCredit() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.credit = max(c.credit, min(c.credit+bytesPerSecond*now.Sub(c.at).Seconds(), firstBytes))
	c.at = now
	if c.credit > 0 || c.free {
		return 0
	}
	return time.Duration((1 - c.credit) / bytesPerSecond * float64(time.Second)) // until there is a byte
}

// earn adds to the credit, or takes from it.
func (c *pacedConn) earn(bytes int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.credit = max(min(c.credit+float64(bytes), maxCredit), -maxDebt)
	if bytes > 0 && c.credit > 0 {
		select {
		case c.earns <- struct{}{}:
		default:
		}
	}
}

// unpaced says that the connection uses HTTP/1.1.
func (c *pacedConn) unpaced() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free = true
}

// earnedBy returns the credit that a header of the given size earns.
func earnedBy(r *http.Request, size int) int {
	large, small := 0, 0
	seen := map[string]bool{}
	for _, values := range r.Header {
		for _, value := range values {
			switch {
			case len(value) > tableSize:
				large += len(value)
			case len(value) > smallHeader/8 && !seen[value]:
				seen[value] = true
				small += len(value)
			}
		}
	}
	return min(size, smallHeader) + (large+max(0, small-tableSize))*5/8
}

// earningBody is a body whose bytes earn credit when they are read.
type earningBody struct {
	io.ReadCloser
	conn *pacedConn
}

// Read implements io.Reader.
func (b *earningBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.conn.earn(n)
	return n, err
}
