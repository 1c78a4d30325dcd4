package httpserver

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"pixgraph/internal/quota"
)

// The limits of HTTP/2 connections. Those that are not here are Go's defaults.
const (
	// maxStreams is the number of requests that a connection carries at a time; RFC 9113 recommends at least 100.
	maxStreams = 100
	// maxUnread is the number of bytes of bodies that a connection may send before they are read: the minimum that
	// HTTP/2 permits.
	maxUnread = 64 << 10
	// frameSize is the size of the largest frame in either direction: the minimum that HTTP/2 permits. A connection
	// keeps a buffer of the largest frame that it sent, whose size the client would choose.
	frameSize = 16 << 10
	// headerUnit is how many bytes of header count as one more request, which itself takes about 20 KiB.
	headerUnit = 8 << 10
	// ownWriteTimeout is for responses of net/http itself, such as 431. They are not counted as requests, and a client
	// that does not read them keeps their headers in memory.
	ownWriteTimeout = readHeaderTimeout
	// stalled is the time after which a connection ends that accepts no byte, and a response whose last bytes are not
	// accepted.
	stalled = 15 * time.Second
	// grace is the time that net/http has to reset a stream after the deadline of a write.
	grace = time.Second
)

// statusClientLeft stands for the status of a request that its client has reset.
const statusClientLeft = 499

func http2Limits() *http.HTTP2Config {
	return &http.HTTP2Config{
		MaxConcurrentStreams: maxStreams, MaxReadFrameSize: frameSize,
		MaxReceiveBufferPerConnection: maxUnread, MaxReceiveBufferPerStream: maxUnread, WriteByteTimeout: stalled,
	}
}

// BoundHTTP2 gives requests of HTTP/2 the bounds that those of HTTP/1.1 have. All connections together serve at most so
// many requests at a time as there may be connections, and none takes what the others need: a request above that is
// reset, because its client might not read a response. A large header counts as several requests. A write ends at its
// deadline, also with HTTP/1.1. A handler that closes the connection with its response ends the request alone: others,
// such as those of a proxy's other clients, are on the same connection.
func BoundHTTP2(next http.Handler, maxRequests int) http.Handler {
	requests := quota.NewPool(int64(maxRequests), 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil && r.ProtoMajor != 2 {
			next.ServeHTTP(w, r)
			return
		}
		controller, deadline := http.NewResponseController(w), time.Now().Add(WriteTimeout)
		_ = controller.SetWriteDeadline(deadline) // that of net/http is ownWriteTimeout
		if r.ProtoMajor != 2 {
			next.ServeHTTP(w, r)
			return
		}
		paced := pacedOf(r)
		conn := connectionOf(r).Conn
		header := headerSize(r)
		key, units := fmt.Sprintf("%p", conn), int64(1+header/headerUnit) // all clients of a unix socket have one address
		if !requests.Take(key, units) {
			panic(http.ErrAbortHandler)
		}
		defer requests.Return(key, units)
		writer := &http2Writer{ResponseWriter: w, controller: controller, conn: conn, paced: paced, header: earnedBy(r, header), deadline: deadline, ends: w.Header().Get("Connection") != ""}
		hasBody := r.Body != http.NoBody
		if paced != nil {
			r.Body = &earningBody{r.Body, paced}
		}
		if hasBody && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			go discard(r.Body)
		}
		next.ServeHTTP(writer, r)
		if r.Context().Err() == nil {
			writer.answer(http.StatusOK)
		} else {
			writer.answer(statusClientLeft)
		}
		// What net/http has buffered counts too, until the client accepts it.
		_ = writer.SetWriteDeadline(time.Now().Add(stalled))
		_ = writer.FlushError()
	})
}

// discard reads a body that no handler reads: it would take maxUnread from all requests of the connection. The end of
// the request ends it.
func discard(body io.Reader) {
	defer func() { _ = recover() }() // what is not read is the client's loss
	_, _ = io.Copy(io.Discard, body)
}

// headerSize returns the size of a header, as HTTP/2 counts it (RFC 9113, section 6.5.2).
func headerSize(r *http.Request) int {
	const ofField = 32
	size := len(r.RequestURI)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value) + ofField
		}
	}
	return size
}

// http2Writer writes the response to a request of HTTP/2. It writes pieces of one frame. At its deadline net/http
// resets the stream, but not if the connection itself accepts nothing: then the connection is closed, so that no write
// lasts longer.
type http2Writer struct {
	http.ResponseWriter
	controller *http.ResponseController
	conn       net.Conn
	paced      *pacedConn // nil without TLS
	header     int        // credit that the request's header earns
	answered   bool       // whether the response has a status
	ends       bool       // whether the connection ends for a reason that is not the handler's
	deadline   time.Time  // of writes; the zero time is no deadline
}

// WriteHeader implements http.ResponseWriter.
func (w *http2Writer) WriteHeader(status int) {
	w.answer(status)
	if !w.ends {
		w.Header().Del("Connection")
	}
	w.ResponseWriter.WriteHeader(status)
}

// answer earns credit for the connection with the first status if it is a success. Otherwise the request costs some.
func (w *http2Writer) answer(status int) {
	switch {
	case w.answered:
	case status < http.StatusBadRequest:
		w.paced.earn(earned + w.header)
	default:
		w.paced.earn(-lost)
	}
	w.answered = true
}

// Write implements http.ResponseWriter. net/http takes a missing status for 200.
func (w *http2Writer) Write(p []byte) (n int, err error) {
	w.answer(http.StatusOK)
	defer w.guard()()
	for err == nil && n < len(p) {
		var written int
		written, err = w.ResponseWriter.Write(p[n:min(len(p), n+frameSize)])
		w.paced.earn(written / acknowledged)
		n += written
	}
	return n, err
}

// FlushError is called by http.ResponseController.
func (w *http2Writer) FlushError() error {
	defer w.guard()()
	return w.controller.Flush()
}

// SetWriteDeadline is called by http.ResponseController.
func (w *http2Writer) SetWriteDeadline(deadline time.Time) error {
	w.deadline = deadline
	return w.controller.SetWriteDeadline(deadline)
}

// Unwrap is called by http.ResponseController.
func (w *http2Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// guard closes the connection if the returned function is not called within grace after the deadline of a write. That
// time begins when the deadline has been noticed: a pause of the process does not close connections.
func (w *http2Writer) guard() (done func()) {
	if w.deadline.IsZero() || w.conn == nil {
		return func() {}
	}
	written := make(chan struct{})
	timer := time.AfterFunc(time.Until(w.deadline), func() {
		select {
		case <-written:
		case <-time.After(grace):
			_ = w.conn.Close()
		}
	})
	return func() {
		timer.Stop()
		close(written)
	}
}
