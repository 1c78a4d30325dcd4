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
	if c.secure == nil {
		return c.socket.silent()
	}
	return c.secure.silent(c.stream.Read)
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

// framed is a socket below TLS. It tracks the boundaries of records (RFC 8446, section 5.1), because crypto/tls does
// not report which bytes are in its buffers.
type framed struct {
	*socket
	looking bool // whether a read must not block

	header [5]byte
	have   int // bytes of header
	left   int // bytes left of the current record, after its header
}

var errUnasked = errors.New("bytes were received over an idle connection")

// silent reads through TLS without blocking. That returns what TLS has decrypted or can decrypt; if it returns
// nothing, the socket is silent. An incomplete record shows in the framing.
func (f *framed) silent(read func([]byte) (int, error)) bool {
	var one [1]byte
	f.looking = true
	_, err := read(one[:])
	f.looking = false
	return errors.Is(err, os.ErrDeadlineExceeded) && f.have == 0 && f.left == 0
}

// Read implements net.Conn. TLS stays usable after a deadline error only.
func (f *framed) Read(p []byte) (int, error) {
	if f.looking {
		if f.socket.silent() {
			return 0, os.ErrDeadlineExceeded
		}
		return 0, errUnasked
	}
	n, err := f.Conn.Read(p)
	f.follow(p[:n])
	return n, err
}

func (f *framed) follow(p []byte) {
	for len(p) > 0 {
		if f.left > 0 {
			n := min(f.left, len(p))
			f.left -= n
			p = p[n:]
			continue
		}
		n := copy(f.header[f.have:], p)
		f.have += n
		p = p[n:]
		if f.have == len(f.header) {
			f.have, f.left = 0, int(f.header[3])<<8|int(f.header[4])
		}
	}
}
