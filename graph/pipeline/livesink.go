package pipeline

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"pixgraph/graph"
	"pixgraph/internal/quota"
	"pixgraph/upstream/live"
)

// detach returns the context that a stream keeps of its request, for the ids in its errors.
func detach(ctx context.Context) context.Context {
	return graph.NewContext(context.Background(), graph.RequestOf(ctx).Kept())
}

// protocols are the protocols of streams. A stream of another kind is "other".
var protocols = [...]string{"sse", "multipart", "websocket", "other"}

// streamCounts counts the streams by protocol, in the order of protocols.
type streamCounts [len(protocols)]atomic.Int64

// of returns the counter of a protocol.
func (c *streamCounts) of(protocol string) (name string, count *atomic.Int64) {
	for i, known := range protocols {
		if known == protocol {
			return known, &c[i]
		}
	}
	last := len(protocols) - 1
	return protocols[last], &c[last]
}

// loggedSink logs the end of a stream, and then releases what the stream holds.
type loggedSink struct {
	live.Sink
	log             *slog.Logger
	requestID, name string
	traceID         string
	client          graph.Client
	protocol        string
	began           time.Time
	events          int
	caller          string
	memory          *quota.Pool // for events while they are sent
	count           *atomic.Int64
	release         func()
}

func (g *Gateway) newLoggedSink(sink live.Sink, request *graph.Request, name string, release func()) *loggedSink {
	protocol := ""
	if known, ok := sink.(interface{ Protocol() string }); ok {
		protocol = known.Protocol()
	}
	s := &loggedSink{
		Sink: sink, log: g.config.Log, requestID: request.ID, traceID: request.TraceID(), client: request.Client, name: name, began: time.Now(), release: release,
		caller: request.Caller(), memory: g.memory.Requests,
	}
	s.protocol, s.count = g.streams.of(protocol)
	s.count.Add(1)
	return s
}

const (
	// eventFactor is how many times a stream holds an event while its client does not read: the answer, two copies in the format
	// of the protocol, and the next answer.
	eventFactor = 4
	// smallEvent is the size of answers that are not counted, because streamBytes includes them.
	smallEvent = streamBytes / 2 / eventFactor
)

// Send implements live.Sink. Without memory for the event, the stream ends.
func (s *loggedSink) Send(e live.Event) error {
	s.events++
	if size := eventFactor * int64(len(e.Answer)); size > eventFactor*smallEvent {
		if !s.memory.Take(s.caller, size) {
			return quota.ErrExhausted
		}
		defer s.memory.Return(s.caller, size)
	}
	return s.Sink.Send(e)
}

// End implements live.Sink.
func (s *loggedSink) End(why live.End) {
	defer s.close()
	s.Sink.End(why)
	s.log.Info("stream",
		"requestId", s.requestID, "name", s.name, "protocol", s.protocol, "reason", string(why), "events", s.events,
		"durationMs", time.Since(s.began).Milliseconds(),
		"traceId", s.traceID, "client", s.client.Name, "clientVersion", s.client.Version,
	)
}

// close releases what the stream holds.
func (s *loggedSink) close() {
	s.count.Add(-1)
	s.release()
}
