package memnet

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// bufferSize is how many bytes a connection holds in each direction. It is below what a kernel takes.
const bufferSize = 64 << 10

// stream is one direction of a connection.
type stream struct {
	mutex   sync.Mutex
	changed sync.Cond
	bytes   []byte

	ended            bool // no bytes follow
	readerClosed     bool
	writerClosed     bool
	broken           bool // the connection was reset
	reading, writing deadline
}

// deadline is the deadline of one end.
type deadline struct {
	at     time.Time   // zero for none
	timer  *time.Timer // nil before the first one
	passed bool
}

func newStream() *stream {
	s := &stream{}
	s.changed.L = &s.mutex
	return s
}

func (s *stream) read(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for {
		switch {
		case s.readerClosed:
			return 0, net.ErrClosed
		case s.reading.passed:
			return 0, os.ErrDeadlineExceeded
		case len(p) == 0:
			return 0, nil
		case len(s.bytes) > 0:
			n := copy(p, s.bytes)
			s.bytes = append(s.bytes[:0], s.bytes[n:]...)
			s.changed.Broadcast()
			return n, nil
		case s.broken:
			return 0, syscall.ECONNRESET
		case s.ended:
			return 0, io.EOF
		}
		s.changed.Wait()
	}
}

func (s *stream) write(p []byte) (n int, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for {
		switch {
		case s.writerClosed:
			return n, net.ErrClosed
		case s.writing.passed:
			return n, os.ErrDeadlineExceeded
		case s.broken:
			return n, syscall.ECONNRESET
		case s.ended, s.readerClosed:
			return n, syscall.EPIPE
		}
		part := min(len(p), bufferSize-len(s.bytes))
		if part > 0 {
			s.bytes = append(s.bytes, p[:part]...)
			n, p = n+part, p[part:]
			s.changed.Broadcast()
		}
		if len(p) == 0 {
			return n, nil
		}
		s.changed.Wait()
	}
}

// end lets the reader read the bytes, and then io.EOF.
func (s *stream) end() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.ended = true
	s.changed.Broadcast()
}

// abort breaks the connection. What was written can still be read, as on Linux.
func (s *stream) abort() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.broken = true
	s.changed.Broadcast()
}

func (s *stream) closeReader() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.readerClosed, s.bytes = true, nil
	s.reading.stop()
	s.changed.Broadcast()
}

// closeWriter reports whether it was open.
func (s *stream) closeWriter() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	wasOpen := !s.writerClosed
	s.writerClosed, s.ended = true, true
	s.writing.stop()
	s.changed.Broadcast()
	return wasOpen
}

func (s *stream) setDeadline(d *deadline, t time.Time) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if d == &s.reading && s.readerClosed || d == &s.writing && s.writerClosed {
		return failure("set", net.ErrClosed)
	}
	d.stop()
	switch wait := time.Until(t); {
	case t.IsZero():
	case wait <= 0:
		d.passed = true
		s.changed.Broadcast()
	default:
		if d.at = t; d.timer != nil {
			d.timer.Reset(wait)
			break
		}
		d.timer = time.AfterFunc(wait, func() {
			s.mutex.Lock()
			defer s.mutex.Unlock()
			switch left := time.Until(d.at); {
			case d.at.IsZero():
			case left > 0: // another deadline was set meanwhile
				d.timer.Reset(left)
			default:
				d.passed = true
				s.changed.Broadcast()
			}
		})
	}
	return nil
}

// stop forgets the deadline. The timer is kept for the next one.
func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
	d.at, d.passed = time.Time{}, false
}

// silent reports whether a read would wait.
func (s *stream) silent() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.bytes) == 0 && !s.ended && !s.broken && !s.readerClosed && !s.reading.passed
}
