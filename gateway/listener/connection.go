package listener

import (
	"io"
	"net"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// connection is a connection of a client.
//
// If the client has closed it, or its own direction, before the first request is read, nobody may wait for the
// response. Only servedLeft of such connections begin within leftFor, or until one has ended, so a client that connects
// and leaves all the time costs little, and one that waits for its response keeps nobody else from it.
//
// Each read lets others run first. The input of a client that sends without a pause never runs dry, so its goroutine
// would keep a processor for 10 ms. For the same reason each request and each message of a WebSocket does.
type connection struct {
	socket
	read bool          // whether the first read has begun
	left chan struct{} // of the listener: has a value for each connection whose client has left that holds a place
	end  func()        // releases such a value
}

const (
	// servedLeft is the number of places of connections that are served although their client has left, or waits for
	// the response only.
	servedLeft = 2
	// leftFor is how long such a connection holds its place: longer than an operation computes. After that, it waits.
	leftFor = 100 * time.Millisecond
)

// socket is a TCP or unix connection.
type socket interface {
	net.Conn
	syscall.Conn
	SetWriteBuffer(bytes int) error
}

// sendBuffer is how much of a response the kernel holds for a connection that does not read. Linux doubles the value,
// for its own data, so it is 256 KiB of memory, of which at least half are the response. Otherwise Linux lets it grow
// to 4 MiB (tcp_wmem), which no account counts. A fixed buffer never grows, so over a round trip of 100 ms a connection
// of HTTP/1.1 gets about 1.5 MB/s. On loopback it is not slower: smaller writes stay in the caches of the processor.
const sendBuffer = 128 << 10

// accept accepts a connection of a TCP or unix listener and bounds its send buffer.
func accept(l net.Listener, left chan struct{}) (*connection, error) {
	conn, err := l.Accept()
	if err != nil {
		return nil, err
	}
	accepted := conn.(socket)
	_ = accepted.SetWriteBuffer(sendBuffer) // it fails if the connection has ended, which its first read reports
	return &connection{socket: accepted, left: left, end: func() {}}, nil
}

// Read implements net.Conn.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.socket.Read(p)
	runtime.Gosched()
	if c.read {
		return n, err
	}
	c.read = true
	if err == nil && hasLeft(c.socket) {
		select {
		case c.left <- struct{}{}:
			c.end = sync.OnceFunc(func() { <-c.left })
			time.AfterFunc(leftFor, c.end)
		default:
			return 0, io.EOF
		}
	}
	return n, err
}

// Close implements net.Conn.
func (c *connection) Close() error {
	defer c.end()
	return c.socket.Close()
}

// tcpListener is the listener of a TCP address.
type tcpListener struct {
	net.Listener
	left chan struct{}
}

// Accept implements net.Listener.
func (l tcpListener) Accept() (net.Conn, error) {
	conn, err := accept(l.Listener, l.left)
	if err != nil {
		return nil, err
	}
	return conn, nil
}
