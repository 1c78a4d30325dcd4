package http1

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// silent reports whether nothing came over the idle connection, neither bytes nor its end. What came unasked would be
// taken as the answer to the next request, which is another caller's.
func (c *conn) silent() bool {
	if c.secure == nil {
		return c.socket.silent()
	}
	return c.secure.silent(c.stream.Read)
}

// socket is the TCP connection, with a look at what has come.
type socket struct {
	net.Conn
	raw   syscall.RawConn
	look  func(descriptor uintptr) bool
	quiet bool // what look saw
}

var errNoSocket = errors.New("the connection is no socket")

func newSocket(raw net.Conn) (*socket, error) {
	file, ok := raw.(syscall.Conn)
	if !ok {
		return nil, errNoSocket
	}
	s := &socket{Conn: raw}
	var err error
	s.raw, err = file.SyscallConn()
	s.look = func(descriptor uintptr) bool { // made once, so that a look costs no memory
		s.quiet = nothingToRead(descriptor)
		return true
	}
	return s, err
}

// silent makes one read that does not wait. A byte that it takes is lost, and so is the connection.
func (s *socket) silent() bool {
	s.quiet = false
	return s.raw.Read(s.look) == nil && s.quiet
}

// framed is a socket below TLS. It follows the records (RFC 8446, section 5.1), because of bytes in TLS's own buffers
// nobody can be asked.
type framed struct {
	*socket
	looking bool // whether a read must not wait

	header [5]byte
	have   int // bytes of header
	left   int // bytes of the record behind its header
}

var errUnasked = errors.New("something came over an idle connection")

// silent reads through TLS without waiting: that gives what TLS has decrypted or can decrypt, and the socket is silent
// if it gives nothing. A record that is there in part shows in the framing.
func (f *framed) silent(read func([]byte) (int, error)) bool {
	var one [1]byte
	f.looking = true
	_, err := read(one[:])
	f.looking = false
	return errors.Is(err, os.ErrDeadlineExceeded) && f.have == 0 && f.left == 0
}

// Read implements net.Conn. A deadline is the one error that TLS survives.
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
