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

// conn is one connection to a host, in use by one caller or idle.
type conn struct {
	host   *Host
	socket *socket
	secure *framed       // what TLS reads from; nil for plain text
	stream io.ReadWriter // the socket, or TLS on it
	reader *bufio.Reader // of the answers; it reads through conn.Read
	out    []byte        // the request
	abort  func()        // breaks off whatever is under way

	idleSince time.Time
	tooOld    time.Time // when it is not used again; zero for never

	// Of the exchange under way.
	received int64  // bytes
	failed   error  // of the last read
	budget   int64  // of bytes that may still come
	reads    int    // of the header that is being read
	head     []byte // what the first of them gave, in the reader's own memory; nil behind the header
}

const (
	// readerSize holds the header and a small record, so that one read gives both. Larger bodies are read past it.
	readerSize = 8 << 10
	// maxHeader bounds the header of an answer and of the informational ones before it; those of the APIs are well below
	// 2 KiB.
	maxHeader = 64 << 10
	// maxInformational bounds the 1xx answers before the answer. One 103 is in use; more than a few are a way to hang.
	maxInformational = 5
)

var (
	errHeaderTooLarge = errors.New("the header is over the size cap")
	errInformational  = errors.New("nothing but informational answers came")
	longAgo           = time.Unix(1, 0)
)

func newConn(h *Host, s *socket) *conn {
	c := &conn{host: h, socket: s, stream: s}
	c.reader = bufio.NewReaderSize(c, readerSize)
	c.abort = func() { _ = s.SetDeadline(longAgo) }
	return c
}

// close closes the connection, without TLS's word of farewell, which might have to wait.
func (c *conn) close() { _ = c.socket.Close() }

// exchange makes a request on the connection, whose deadline is set, and puts the connection back or closes it, after a
// panic too.
func (c *conn) exchange(ctx context.Context, request *Request) (Answer, error) {
	stop := context.AfterFunc(ctx, c.abort)
	over := false
	defer func() {
		if !over {
			stop()
			c.close()
		}
	}()
	answer, clean, err := c.get(ctx, request)
	over = true
	// An abort that has begun may still come to pass when somebody else uses the connection.
	if !stop() || err != nil || !clean || c.reader.Buffered() > 0 {
		c.close()
	} else {
		c.host.idle.put(c)
	}
	return answer, err
}

// get writes the request and reads the answer, and reports whether the connection is as it was before.
func (c *conn) get(ctx context.Context, request *Request) (answer Answer, clean bool, err error) {
	c.received, c.budget, c.failed = 0, maxHeader, nil
	c.out = appendRequest(c.out[:0], c.host.head, request)
	if _, err = c.stream.Write(c.out); err != nil {
		return Answer{}, false, err
	}
	resp, err := c.readHeader() //nolint:bodyclose // which would read it to its end: what must not be read ends the connection
	if err != nil {
		return Answer{}, false, err
	}
	clean = c.unambiguous(resp)
	c.head, c.budget = nil, math.MaxInt64
	answer = Answer{Status: resp.StatusCode, Header: resp.Header}
	switch {
	case answer.Status == http.StatusOK:
		err = c.host.readBody(resp, request, &answer)
	case clean:
		clean = c.drain(ctx, resp, request.Deadline)
	}
	return answer, clean, err
}

// readHeader reads the header of the answer. A 101 is one: what comes behind it is another protocol's.
func (c *conn) readHeader() (*http.Response, error) {
	for range maxInformational + 1 {
		c.reads, c.head = 0, nil
		resp, err := http.ReadResponse(c.reader, nil)
		if err != nil {
			return nil, cmp.Or(c.failed, err) // a line that was cut short is parsed as if it were whole
		}
		if resp.StatusCode >= 200 || resp.StatusCode < 100 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, nil
		}
	}
	return nil, errInformational
}

// Read reads from the connection within the budget. It is for the connection's own reader.
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
