package websocket

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gobwas/ws"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/serve/envelope"
	"pixgraph/serve/run"
	"pixgraph/serve/stream"
	"pixgraph/upstream/live"
)

// answer sends the response of a query.
func (o *operation) answer(ctx context.Context, response *graphql.Response) {
	runner := o.conn.transport.runner
	runner.BoundErrors(ctx, response)
	around := envelope.Buffers.Get()
	defer envelope.Buffers.Put(around)
	e := envelope.New(around, response)
	defer runner.Sent(ctx)
	size := len(e.Before) + len(response.Data) + len(e.After)
	if o.call.Account.Take(2*size) != nil { // the message, and its frame
		o.fail(gqlerror.List{runner.Present(ctx, apierror.NoMemory)})
		return
	}
	if o.next(e.Before, response.Data, e.After) == nil {
		o.complete()
	}
}

// next sends a response, which consists of parts.
func (o *operation) next(parts ...[]byte) error {
	if o.hasEnded() {
		return errClosed
	}
	out := envelope.Buffers.Get()
	defer envelope.Buffers.Put(out)
	o.open(out, "next")
	out.WriteString(`,"payload":`)
	for _, part := range parts {
		out.Write(part)
	}
	out.WriteByte('}')
	return o.conn.write(ws.OpText, out.Bytes())
}

// open writes the begin of a message of the operation.
func (o *operation) open(to *bytes.Buffer, kind string) {
	id, _ := json.Marshal(o.id) // a string
	to.WriteString(`{"id":`)
	to.Write(id)
	to.WriteString(`,"type":"` + kind + `"`)
}

// send sends a message of the operation with errors, or without a payload.
func (o *operation) send(kind string, errs gqlerror.List) error {
	out := envelope.Buffers.Get()
	defer envelope.Buffers.Put(out)
	o.open(out, kind)
	for i, err := range errs {
		out.WriteString([]string{`,"payload":[`, `,`}[min(i, 1)])
		envelope.AppendError(out, err)
	}
	if len(errs) > 0 {
		out.WriteByte(']')
	}
	out.WriteByte('}')
	return o.conn.write(ws.OpText, out.Bytes())
}

// fail ends the operation with errors instead of a response.
func (o *operation) fail(errs gqlerror.List) { o.finish("error", errs) }

// complete notifies the client of the end of the operation.
func (o *operation) complete() { o.finish("complete", nil) }

// finish ends the operation with its last message. As soon as the client gets it, it may use the id again.
func (o *operation) finish(kind string, errs gqlerror.List) {
	o.conn.mu.Lock()
	last := !o.ended
	o.ended = true
	o.conn.mu.Unlock()
	if last {
		_ = o.send(kind, errs)
	}
	o.end(live.EndClient)
}

// Protocol implements Sink.
func (o *operation) Protocol() string { return stream.WebSocket }

// Send implements live.Sink.
func (o *operation) Send(e live.Event) error {
	response := envelope.Buffers.Get()
	defer envelope.Buffers.Put(response)
	stream.WriteEvent(o.ctx, response, o.key, e, o.conn.transport.runner.Present)
	return o.next(response.Bytes())
}

// Heartbeat implements live.Sink. The connection sends pings instead.
func (o *operation) Heartbeat() error { return nil }

// End implements live.Sink.
func (o *operation) End(why live.End) {
	switch why {
	case live.EndFinal:
		o.complete()
	case live.EndExpired:
		o.conn.stop(time.Now(), closeExpired)
	case live.EndLifetime:
		o.conn.stop(time.Now(), closeLifetime)
	case live.EndDrain:
		o.conn.stop(time.Now(), closeDrain)
	case live.EndSlow: // without memory for an event; a client that does not read is disconnected anyway
		o.conn.stop(time.Now(), closeNoMemory)
	case live.EndFault:
		o.fail(gqlerror.List{o.conn.transport.runner.Present(o.ctx, run.ErrInternal)})
	}
	o.end(why)
}
