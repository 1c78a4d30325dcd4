package memnet

import (
	"errors"
	"io"
	"net"
	"syscall"
	"time"
)

// Conn is one end of a connection. It implements net.Conn, and of *net.TCPConn what HTTP clients and servers use.
type Conn struct {
	in, out       *stream // what the other end writes, and what this one does
	local, remote net.Addr
	abort         bool // whether Close resets the connection
}

// Pipe returns the ends of a connection between two addresses.
func Pipe(a, b net.Addr) (*Conn, *Conn) {
	x, y := newStream(), newStream()
	return &Conn{in: x, out: y, local: a, remote: b}, &Conn{in: y, out: x, local: b, remote: a}
}

// Read implements net.Conn.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = failure("read", err)
	}
	return n, err
}

// Write implements net.Conn. It waits while the buffer is full.
func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	if err != nil {
		err = failure("write", err)
	}
	return n, err
}

// Close implements net.Conn. The other end can still read what was written.
func (c *Conn) Close() error {
	if c.abort {
		c.reset()
	}
	c.in.closeReader()
	if !c.out.closeWriter() {
		return failure("close", net.ErrClosed)
	}
	return nil
}

// CloseWrite ends what the other end reads.
func (c *Conn) CloseWrite() error {
	c.out.end()
	return nil
}

// SetLinger makes Close reset the connection if the time is 0.
func (c *Conn) SetLinger(seconds int) error {
	c.abort = seconds == 0
	return nil
}

// reset makes the other end fail when it has read what was written.
func (c *Conn) reset() {
	c.in.abort()
	c.out.abort()
}

// LocalAddr implements net.Conn.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.in.setDeadline(&c.in.reading, t) }

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.out.setDeadline(&c.out.writing, t) }

// SyscallConn implements syscall.Conn for a non-blocking read only, which package http1 makes of idle connections.
func (c *Conn) SyscallConn() (syscall.RawConn, error) { return rawConn{c.in}, nil }
