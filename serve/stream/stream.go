// Package stream sends the events of subscriptions: it writes the response of an event, and has the protocols of
// streams over HTTP, SSE and multipart. A stream takes its connection from net/http, and holds nothing of its request.
//
// When there is an event, and what is in it, is decided by package live and by the function that is passed to Open.
//
// Read Open first, then Stream.Serve.
package stream

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/upstream/live"
)

// OpenSink returns the sink of a stream, which keeps the context, for its errors, and the response key of the field.
// The context must not be that of the request, which the stream outlives.
type OpenSink func(ctx context.Context, key string) Sink

// The names of protocols.
const (
	SSE       = "sse"
	Multipart = "multipart"
	WebSocket = "websocket"
)

// Sink is a live.Sink that names its protocol, for metrics and logs.
type Sink interface {
	live.Sink
	Protocol() string // one of the names above
}

// Present formats an error for clients.
type Present = func(context.Context, error) *gqlerror.Error

// maxFromClient bounds what a client may send on the connection of a stream, which is nothing after its request.
const maxFromClient = 1 << 10

// Stream is an open stream that Serve has not begun to send.
type Stream struct {
	sink *sink
	live *live.Stream
}

// Open begins a stream by subscribe, whose events go to the sink that it is given. Nothing is sent before Serve.
func Open(framing Framing, present Present, subscribe func(OpenSink) (*live.Stream, error)) (Stream, error) {
	s := &sink{framing: framing, present: present}
	s.mu.Lock() // until Serve has written the header
	begun := false
	defer func() {
		if !begun { // not even after a panic may the engine wait for it
			s.mu.Unlock()
		}
	}()
	opened, err := subscribe(func(ctx context.Context, key string) Sink {
		s.ctx, s.key = ctx, key
		return s
	})
	if err != nil {
		return Stream{}, err
	}
	begun = true
	return Stream{s, opened}, nil
}

// Serve sends the stream as the response of a request. It returns when the stream has its connection; with HTTP/2,
// where the connection is shared with other requests, at the end of the stream.
func (s Stream) Serve(w http.ResponseWriter, r *http.Request) {
	defer s.sink.mu.Unlock()
	header := w.Header()
	header.Set("Content-Type", s.sink.framing.contentType())
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no") // nginx would hold events back
	header.Set("Incremental", "?1")       // other proxies (RFC 10036)
	controller := http.NewResponseController(w)
	conn, _, err := controller.Hijack()
	if err != nil {
		s.serveInHandler(w, r, controller)
		return
	}
	s.sink.conn = conn
	s.sink.chunked = r.ProtoAtLeast(1, 1)
	s.sink.send(func(to *bytes.Buffer) {
		header.Set("Connection", "close")
		header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
		if s.sink.chunked {
			header.Set("Transfer-Encoding", "chunked")
		}
		to.WriteString("HTTP/1.1 200 OK\r\n")
		_ = header.Write(to)
		to.WriteString("\r\n")
	}, s.sink.framing.begin)
	go awaitClose(conn, s.live)
}

// awaitClose ends a stream when its client closes the connection, or sends something. It is the only goroutine of an
// idle stream, and references nothing of the request.
func awaitClose(conn net.Conn, stream *live.Stream) {
	defer func() { _ = recover() }() // of an implementation of net.Conn; the stream has ended then
	defer stream.Close()
	var ignored [64]byte
	_ = conn.SetReadDeadline(time.Time{})
	for total := 0; total < maxFromClient; {
		n, err := conn.Read(ignored[:])
		if err != nil {
			return
		}
		total += n
	}
}

// serveInHandler runs a stream in the handler, because the connection is shared with other requests (HTTP/2).
func (s Stream) serveInHandler(w http.ResponseWriter, r *http.Request, controller *http.ResponseController) {
	s.sink.controller, s.sink.w, s.sink.ended = controller, w, make(chan live.End, 1)
	w.WriteHeader(http.StatusOK)
	s.sink.send(s.sink.framing.begin)
	s.sink.mu.Unlock()
	var why live.End
	select {
	case <-r.Context().Done():
		s.live.Close()
		why = <-s.sink.ended
	case why = <-s.sink.ended:
	}
	s.sink.mu.Lock()
	if !endsBody(why) {
		Break(w)
	}
}

// endsBody reports whether the body of a stream ends properly. Without the end of the body, browsers discard an event
// that they got just before; with it, clients may take the stream for complete.
func endsBody(why live.End) bool { return why == live.EndFinal || why == live.EndExpired }

// Break closes the connection within a response, or resets the stream of HTTP/2, so that an incomplete response does
// not look like a complete one. A panic with http.ErrAbortHandler would not, because the gateway recovers from it.
func Break(w http.ResponseWriter) {
	controller := http.NewResponseController(w)
	if conn, _, err := controller.Hijack(); err == nil {
		_ = conn.Close()
		return
	}
	_ = controller.SetWriteDeadline(time.Unix(1, 0))
}
