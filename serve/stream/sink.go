package stream

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"pixgraph/graph/apierror"
	"pixgraph/serve/envelope"
	"pixgraph/upstream/live"
)

// WriteTimeout bounds the time that a client takes to accept an event, and what is as small. See deadline.
const WriteTimeout = 5 * time.Second

// sink writes the events of a stream to its connection.
type sink struct {
	framing Framing
	present Present
	ctx     context.Context // for present
	key     string

	mu      sync.Mutex // held until the header is written
	conn    net.Conn   // nil if the handler has the connection
	chunked bool
	broken  error

	w          http.ResponseWriter
	controller *http.ResponseController
	ended      chan live.End // receives the end once; for the handler
}

var (
	errStreamFailed = errors.New("the client did not accept an event")
	errTokenExpired = &apierror.Error{Code: apierror.Unauthenticated, Message: "the token has expired: subscribe again with a new one"}
)

// Protocol implements Sink.
func (s *sink) Protocol() string { return s.framing.protocol() }

// Send implements live.Sink.
func (s *sink) Send(e live.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send(s.event(e))
	return s.broken
}

// event returns the part of an event.
func (s *sink) event(e live.Event) func(*bytes.Buffer) {
	return func(to *bytes.Buffer) {
		response := envelope.Buffers.Get()
		defer envelope.Buffers.Put(response)
		WriteEvent(s.ctx, response, s.key, e, s.present)
		s.framing.event(to, response.Bytes())
	}
}

// Heartbeat implements live.Sink.
func (s *sink) Heartbeat() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send(s.framing.heartbeat)
	return s.broken
}

// End implements live.Sink. A stream that its client should begin again ends without a final event, and without the
// sign that it is complete.
func (s *sink) End(why live.End) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch why {
	case live.EndExpired:
		s.send(s.event(live.Event{Reason: live.Failed, Err: errTokenExpired, Observed: time.Now(), Next: noNext}))
	case live.EndFinal:
		s.send(s.framing.complete)
	}
	if s.conn == nil {
		s.ended <- why
		return
	}
	if s.chunked && endsBody(why) && s.broken == nil {
		_ = WriteInTime(s.conn, []byte("0\r\n\r\n"))
	}
	_ = s.conn.Close()
}

// send writes parts as one piece. The first error is kept, after which nothing is written.
func (s *sink) send(parts ...func(*bytes.Buffer)) {
	if s.broken != nil {
		return
	}
	out, chunk := envelope.Buffers.Get(), envelope.Buffers.Get()
	defer envelope.Buffers.Put(out)
	defer envelope.Buffers.Put(chunk)
	for i, part := range parts {
		if header := i == 0 && len(parts) > 1; header || !s.chunked { // the header of the response is not part of a chunk
			part(out)
			continue
		}
		chunk.Reset()
		if part(chunk); chunk.Len() > 0 {
			out.Write(strconv.AppendInt(out.AvailableBuffer(), int64(chunk.Len()), 16))
			out.WriteString("\r\n")
			out.Write(chunk.Bytes())
			out.WriteString("\r\n")
		}
	}
	var err error
	if s.conn != nil {
		err = WriteInTime(s.conn, out.Bytes())
	} else {
		_ = s.controller.SetWriteDeadline(deadline(out.Len()))
		if _, err = s.w.Write(out.Bytes()); err == nil {
			err = s.controller.Flush()
		}
		_ = s.controller.SetWriteDeadline(time.Time{}) // HTTP/2 would reset a stream that writes nothing until then
	}
	if err != nil {
		s.broken = errStreamFailed
	}
}

// deadline returns when a client must have accepted some bytes. On a slow network they arrive at 8 KiB a second, such
// as 400 KB for 100 deposits with all fields. The longest time is that of the page of a file and the 5 s.
func deadline(size int) time.Time {
	return time.Now().Add(WriteTimeout + min(time.Duration(size)*time.Second/(8<<10), time.Minute))
}

// WriteInTime writes to the connection of a stream. It stops the timer of its deadline: those of 10,000 idle streams
// would wake the process again after each heartbeat.
func WriteInTime(conn net.Conn, data []byte) error {
	_ = conn.SetWriteDeadline(deadline(len(data)))
	_, err := conn.Write(data)
	_ = conn.SetWriteDeadline(time.Time{})
	return err
}
