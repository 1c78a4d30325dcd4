package http1

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// silent reports whether nothing was received over the idle connection, neither bytes nor its end. Unsolicited bytes
// would be taken for the response to the next request, which may be another caller's.
func (c *conn) silent() bool {
	if c.records == nil {
		return c.socket.silent()
	}
	return c.records.silent(c.stream.Read)
}

// socket is a TCP connection with a non-blocking read.
type socket struct {
	net.Conn
	raw   syscall.RawConn
	look  func(descriptor uintptr) bool
	quiet bool // the result of look
}

var errNoSocket = errors.New("the connection is not a socket")

func newSocket(raw net.Conn) (*socket, error) {
	file, ok := raw.(syscall.Conn)
	if !ok {
		return nil, errNoSocket
	}
	s := &socket{Conn: raw}
	var err error
	s.raw, err = file.SyscallConn()
	s.look = func(descriptor uintptr) bool { // created once, so that a check does not allocate
		s.quiet = nothingToRead(descriptor)
		return true
	}
	return s, err
}

// silent makes one non-blocking read. If the read takes a byte, the connection is unusable.
func (s *socket) silent() bool {
	s.quiet = false
	return s.raw.Read(s.look) == nil && s.quiet
}

// recordConn is a socket below TLS. It tracks the boundaries of records (RFC 8446, section 5.1), because crypto/tls
// does not report which bytes are in its buffers.
type recordConn struct {
	*socket
	looking bool // whether a read must not block

	header [5]byte
	have   int // bytes of header
	left   int // bytes left of the current record, after its header
}

var errUnsolicited = errors.New("bytes were received over an idle connection")

// silent reads through TLS without blocking. That returns what TLS has decrypted or can decrypt; if it returns nothing,
// the socket is silent. An incomplete record shows in the framing.
func (r *recordConn) silent(read func([]byte) (int, error)) bool {
	var one [1]byte
	r.looking = true
	_, err := read(one[:])
	r.looking = false
	return errors.Is(err, os.ErrDeadlineExceeded) && r.have == 0 && r.left == 0
}

// Read implements net.Conn. TLS stays usable after a deadline error only.
func (r *recordConn) Read(p []byte) (int, error) {
	if r.looking {
		if r.socket.silent() {
			return 0, os.ErrDeadlineExceeded
		}
		return 0, errUnsolicited
	}
	n, err := r.Conn.Read(p)
	r.follow(p[:n])
	return n, err
}

func (r *recordConn) follow(p []byte) {
	for len(p) > 0 {
		if r.left > 0 {
			n := min(r.left, len(p))
			r.left -= n
			p = p[n:]
			continue
		}
		n := copy(r.header[r.have:], p)
		r.have += n
		p = p[n:]
		if r.have == len(r.header) {
			r.have, r.left = 0, int(r.header[3])<<8|int(r.header[4])
		}
	}
}
