package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/transport/accept"
	"pixgraph/graph/transport/envelope"
	"pixgraph/upstream/live"
)

// Subscribe begins the stream of the subscription in ctx, whose events go to the sink that open returns. Nothing is sent
// before Subscribe has returned.
type Subscribe func(ctx context.Context, open OpenSink) (*live.Stream, error)

// OpenSink returns the sink of a stream, which keeps the context, for its errors, and the response key of the field. The
// context must not be that of the request, which the stream outlives.
type OpenSink func(ctx context.Context, key string) Sink

// Sink is a live.Sink that names its protocol, for metrics and logs.
type Sink interface {
	live.Sink
	Protocol() string
}

// streamWriteTimeout bounds the time that a client takes to accept an event.
const streamWriteTimeout = 5 * time.Second

// maxFromClient bounds what a client may send on the connection of a stream, which is nothing after its request.
const maxFromClient = 1 << 10

// noNext is the time until the next read of a stream that reads no more, because its token has expired.
const noNext time.Duration = -1

// framing writes events in the format of a protocol.
type framing interface {
	protocol() string
	contentType() string
	begin(*bytes.Buffer)
	event(to *bytes.Buffer, response []byte)
	heartbeat(*bytes.Buffer)
	complete(*bytes.Buffer) // after the last event of a stream that is not to be repeated
}

// framingOf returns the framing of the first protocol for streams in Accept: SSE if it is there, then multipart; nil without.
func framingOf(header []string) framing {
	var sse, multipart bool
	accept.Ranges(header, func(name, parameters string, weight int) {
		switch {
		case weight == 0:
		case strings.EqualFold(name, "text/event-stream"):
			sse = true
		case strings.EqualFold(name, "multipart/mixed") && strings.Contains(parameters, "subscriptionSpec"):
			multipart = true
		}
	})
	switch {
	case sse:
		return eventStream{}
	case multipart:
		return multipartStream{}
	default:
		return nil
	}
}

// begin implements protocol: it begins the stream of a subscription.
func (a *responder) begin(ctx context.Context) error {
	t := a.transport
	s := &sink{transport: t, framing: a.framing}
	s.mu.Lock() // until the header is written
	defer s.mu.Unlock()
	stream, err := t.config.Subscribe(ctx, func(ctx context.Context, key string) Sink {
		s.ctx, s.key = ctx, key
		return s
	})
	if err != nil {
		return err
	}
	a.begun = true
	header := a.w.Header()
	header.Set("Content-Type", a.framing.contentType())
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no") // nginx would hold events back
	controller := http.NewResponseController(a.w)
	conn, _, err := controller.Hijack()
	if err != nil {
		return t.streamFromHandler(a, s, stream, controller)
	}
	s.conn = conn
	s.chunked = a.r.ProtoAtLeast(1, 1)
	s.send(func(to *bytes.Buffer) {
		header.Set("Connection", "close")
		header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
		if s.chunked {
			header.Set("Transfer-Encoding", "chunked")
		}
		to.WriteString("HTTP/1.1 200 OK\r\n")
		_ = header.Write(to)
		to.WriteString("\r\n")
	}, a.framing.begin)
	go awaitClose(conn, stream)
	return nil
}

// awaitClose ends a stream when its client closes the connection, or sends something. It is the only goroutine of an idle
// stream, and references nothing of the request.
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

// streamFromHandler runs a stream in the handler, because the connection is shared with other requests (HTTP/2).
func (t *Transport) streamFromHandler(a *responder, s *sink, stream *live.Stream, controller *http.ResponseController) error {
	s.controller, s.w, s.ended = controller, a.w, make(chan live.End, 1)
	t.config.Account(a.r.Context()).Release() // of the request; the memory of the stream is counted apart
	a.w.WriteHeader(http.StatusOK)
	s.send(s.framing.begin)
	s.mu.Unlock()
	var why live.End
	select {
	case <-a.r.Context().Done():
		stream.Close()
		why = <-s.ended
	case why = <-s.ended:
	}
	s.mu.Lock()
	if !endsBody(why) {
		a.breakConnection()
	}
	return nil
}

// endsBody reports whether the body of a stream ends properly. Without the end of the body, browsers discard an event that they got
// just before; with it, clients may take the stream for complete.
func endsBody(why live.End) bool { return why == live.EndFinal || why == live.EndExpired }

// sink writes the events of a stream to its connection.
type sink struct {
	transport *Transport
	ctx       context.Context // for presenting errors
	framing   framing
	key       string

	mu      sync.Mutex // held until the header is written
	conn    net.Conn   // nil if the handler has the connection
	chunked bool
	broken  error

	w          http.ResponseWriter
	controller *http.ResponseController
	ended      chan live.End // receives the end once; for the handler
}

var errStreamFailed = errors.New("the client did not accept an event")

// Protocol implements Sink.
func (s *sink) Protocol() string { return s.framing.protocol() }

// Send implements live.Sink.
func (s *sink) Send(e live.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	response := envelope.GetBuffer()
	defer envelope.PutBuffer(response)
	s.transport.writeEvent(s.ctx, response, s.key, e)
	s.send(func(to *bytes.Buffer) { s.framing.event(to, response.Bytes()) })
	return s.broken
}

// Heartbeat implements live.Sink.
func (s *sink) Heartbeat() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send(s.framing.heartbeat)
	return s.broken
}

// End implements live.Sink. A stream that its client should begin again ends without a final event, and without the sign that it
// is complete.
func (s *sink) End(why live.End) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if why == live.EndExpired {
		s.send(func(to *bytes.Buffer) {
			response := envelope.GetBuffer()
			defer envelope.PutBuffer(response)
			s.transport.writeEvent(s.ctx, response, s.key, live.Event{Reason: live.Failed, Err: errTokenExpired, Observed: time.Now(), Next: noNext})
			s.framing.event(to, response.Bytes())
		})
	}
	if why == live.EndFinal {
		s.send(s.framing.complete)
	}
	if s.conn == nil {
		s.ended <- why
		return
	}
	if s.chunked && endsBody(why) && s.broken == nil {
		_ = writeInTime(s.conn, []byte("0\r\n\r\n"))
	}
	_ = s.conn.Close()
}

// send writes parts as one piece. The first error is kept, after which nothing is written.
func (s *sink) send(parts ...func(*bytes.Buffer)) {
	if s.broken != nil {
		return
	}
	out, chunk := envelope.GetBuffer(), envelope.GetBuffer()
	defer envelope.PutBuffer(out)
	defer envelope.PutBuffer(chunk)
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
		err = writeInTime(s.conn, out.Bytes())
	} else {
		_ = s.controller.SetWriteDeadline(time.Now().Add(streamWriteTimeout))
		if _, err = s.w.Write(out.Bytes()); err == nil {
			err = s.controller.Flush()
		}
		_ = s.controller.SetWriteDeadline(time.Time{}) // HTTP/2 would reset a stream that writes nothing until then
	}
	if err != nil {
		s.broken = errStreamFailed
	}
}

// writeInTime writes to the connection of a stream. It stops the timer of its deadline: those of 10,000 idle streams would wake the
// process again after each heartbeat.
func writeInTime(conn net.Conn, data []byte) error {
	_ = conn.SetWriteDeadline(time.Now().Add(streamWriteTimeout))
	_, err := conn.Write(data)
	_ = conn.SetWriteDeadline(time.Time{})
	return err
}

// writeEvent writes the GraphQL response of an event. field is the response key of the subscription's field.
func (t *Transport) writeEvent(ctx context.Context, to *bytes.Buffer, field string, e live.Event) {
	if e.Answer != nil {
		to.Write(e.Answer)
	} else {
		key, _ := json.Marshal(field)
		shown := t.config.Present(ctx, gqlerror.WrapPath(ast.Path{ast.PathName(field)}, e.Err))
		to.Write(Answer(&graphql.Response{
			Errors: gqlerror.List{shown}, Data: append(append([]byte(`{`), key...), `:null}`...),
		}, nil))
	}
	to.WriteString(`,"extensions":{"live":{"reason":"`)
	to.WriteString(string(e.Reason))
	to.WriteString(`","observedAt":"`)
	to.WriteString(e.Observed.UTC().Format("2006-01-02T15:04:05.000Z"))
	to.WriteString(`","nextPollMs":`)
	if e.Final || e.Next == noNext {
		to.WriteString(`null`)
	} else {
		to.WriteString(strconv.FormatInt(max(0, e.Next.Milliseconds()), 10))
	}
	to.WriteString(`,"final":`)
	to.WriteString(strconv.FormatBool(e.Final))
	to.WriteString(`}}}`)
}

// Answer returns a response as the events of a stream contain it: without the end of its object. data replaces the data of the
// response unless it is nil.
func Answer(response *graphql.Response, data []byte) []byte {
	around := envelope.GetBuffer()
	defer envelope.PutBuffer(around)
	if data == nil {
		data = response.Data
	}
	e := envelope.New(around, &graphql.Response{Errors: response.Errors, Data: data})
	return append(append(make([]byte, 0, len(e.Before)+len(data)), e.Before...), data...)
}
