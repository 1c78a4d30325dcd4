package http1

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"time"
)

// conn is a connection to a host. It is in use by one caller, or idle.
type conn struct {
	host    *Host
	socket  *socket
	records *recordConn   // the socket, as TLS reads it; nil for plain text
	stream  io.ReadWriter // the socket, or TLS over it
	reader  *bufio.Reader // of the responses; it reads through conn.Read
	out     []byte        // the request
	abort   func()        // aborts the current I/O

	token     uint64 // hash of that of the last request
	idleSince time.Time
	tooOld    time.Time // when it is no longer used; zero for never

	// State of the current exchange.
	sent     bool          // whether the whole request was written
	aborted  chan struct{} // receives a value when an abort has taken effect
	received int64         // bytes
	failed   error         // error of the last read
	budget   int64         // bytes that may still be read
	reads    int           // reads of the current header
	head     []byte        // the bytes of the first of these reads, in the reader's buffer; nil after the header
}

const (
	// readerSize holds the header and a small record, so that one read returns both. Larger bodies bypass this buffer.
	readerSize = 8 << 10
	// maxHeader bounds the header of a response plus the informational responses before it. Headers of the APIs are
	// well below 2 KiB.
	maxHeader = 64 << 10
	// maxInformational bounds the 1xx responses before the final one. In practice there is one 103; more than a few
	// would keep the call waiting.
	maxInformational = 5
)

var (
	errHeaderTooLarge = errors.New("the header is above the size limit")
	errInformational  = errors.New("only informational responses were received")
	longAgo           = time.Unix(1, 0)
)

func newConn(h *Host, s *socket) *conn {
	c := &conn{host: h, socket: s, stream: s}
	c.reader = bufio.NewReaderSize(c, readerSize)
	c.aborted = make(chan struct{}, 1)
	c.abort = func() {
		_ = s.SetDeadline(longAgo)
		c.aborted <- struct{}{} // the connection is aborted once, or reused after this value was received
	}
	h.idle.open.Add(1)
	return c
}

// close closes the connection without TLS's close_notify, whose write might block. It is called once.
func (c *conn) close() {
	c.host.idle.open.Add(-1)
	_ = c.socket.Close()
}

// exchange makes a request on the connection, whose deadline is set. Then it puts the connection back or closes it,
// also after a panic. received is the number of bytes of the response.
func (c *conn) exchange(ctx context.Context, request *Request) (answer Answer, received int64, err error) {
	stop := context.AfterFunc(ctx, c.abort)
	over := false
	defer func() {
		if !over {
			stop()
			c.close()
		}
	}()
	answer, clean, err := c.get(ctx, request)
	over, received = true, c.received
	// An abort that has begun may still take effect after the next caller has the connection.
	switch aborted := !stop(); {
	case !aborted && err == nil && clean && c.reader.Buffered() == 0:
		c.host.idle.put(c)
	case aborted && c.received == 0 && c.sent && request.Lingerer != nil && errors.Is(ctx.Err(), context.Canceled):
		request.Lingerer.Linger()
		go c.linger(request.Lingerer.End)
	default:
		c.close()
	}
	return answer, received, err
}

// linger waits for the response to a call whose caller has left, for as long as that costs less than a new connection.
// Callers that leave at once would otherwise cost the gateway and the API a connection for each call.
func (c *conn) linger(end func()) {
	reused := false
	defer func() {
		_ = recover() // a response that makes a parser panic says nothing to anybody
		if !reused {
			c.close()
		}
		end()
	}()
	<-c.aborted
	c.received, c.budget, c.failed = 0, maxHeader, nil
	if c.socket.SetDeadline(time.Now().Add(DrainTime)) != nil {
		return
	}
	resp, err := c.readHeader() //nolint:bodyclose // as in get
	if err != nil || !c.unambiguous(resp) {
		return
	}
	c.head, c.budget = nil, math.MaxInt64
	if Drain(resp) && c.reader.Buffered() == 0 {
		reused = true
		c.host.idle.put(c)
	}
}

// get writes the request and reads the response. clean reports whether the connection is ready for another request.
func (c *conn) get(ctx context.Context, request *Request) (answer Answer, clean bool, err error) {
	c.received, c.budget, c.failed = 0, maxHeader, nil
	c.out = appendRequest(c.out[:0], c.host.head, request)
	c.sent = false
	if _, err = c.stream.Write(c.out); err != nil {
		return Answer{}, false, err
	}
	c.sent = true
	resp, err := c.readHeader() //nolint:bodyclose // Close would read the body to its end: a body that must not be read closes the connection
	if err != nil {
		return Answer{}, false, err
	}
	clean = c.unambiguous(resp)
	c.head, c.budget = nil, math.MaxInt64
	answer = Answer{Status: resp.StatusCode, Header: resp.Header}
	switch {
	case answer.Status == http.StatusOK:
		err = c.host.bodies.Read(resp, request, &answer)
	case clean:
		clean = c.drain(ctx, resp, request.Deadline)
	}
	return answer, clean, err
}

// readHeader reads the header of the response. 101 is a final status: another protocol follows it.
func (c *conn) readHeader() (*http.Response, error) {
	for range maxInformational + 1 {
		c.reads, c.head = 0, nil
		resp, err := http.ReadResponse(c.reader, nil)
		if err != nil {
			return nil, cmp.Or(c.failed, err) // a truncated line is parsed like a complete one
		}
		if resp.StatusCode >= 200 || resp.StatusCode < 100 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, nil
		}
	}
	return nil, errInformational
}

// Read implements io.Reader for the connection's own buffer: it reads from the connection within the budget.
func (c *conn) Read(p []byte) (int, error) {
	if c.budget <= 0 {
		c.failed = errHeaderTooLarge
		return 0, c.failed
	}
	n, err := c.stream.Read(p[:min(int64(len(p)), c.budget)])
	if c.failed = err; errors.Is(err, io.EOF) {
		c.failed = io.ErrUnexpectedEOF
	}
	c.budget -= int64(n)
	c.received += int64(n)
	if c.reads++; c.reads == 1 {
		c.head = p[:n]
	}
	return n, err
}
