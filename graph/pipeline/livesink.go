package pipeline

import (
	"slices"
	"sync/atomic"
	"time"

	"pixgraph/graph"
	"pixgraph/graph/transport/stream"
	"pixgraph/internal/quota"
	"pixgraph/upstream/live"
)

// protocols are the protocols of streams.
var protocols = [...]string{stream.SSE, stream.Multipart, stream.WebSocket}

// loggedSink logs the end of a stream, if its caller has few, and then releases what the stream holds.
type loggedSink struct {
	stream.Sink
	log           *operationLog
	call          *graph.Call // as the stream keeps it
	name, traceID string
	began         time.Time
	events        int
	share         func() string
	memory        *quota.Pool // for events while they are sent
	count         *atomic.Int64
	release       func()
}

func (g *Gateway) newLoggedSink(sink stream.Sink, kept *graph.Call, name string, release func()) *loggedSink {
	s := &loggedSink{
		Sink: sink, log: g.log, call: kept, name: name, began: time.Now(), share: kept.Share,
		memory: g.memory.Requests, release: release,
		count: &g.streams[slices.Index(protocols[:], sink.Protocol())],
	}
	s.count.Add(1)
	return s
}

const (
	// eventFactor is how many times a stream holds an event while its client does not read: the answer, two copies in
	// the format of the protocol, and the next answer.
	eventFactor = 4
	// smallEvent is the size of answers that are not counted, because streamBytes includes them.
	smallEvent = streamBytes / 2 / eventFactor
)

// Send implements live.Sink. Without memory for the event, the stream ends.
func (s *loggedSink) Send(e live.Event) error {
	s.events++
	if size := eventFactor * int64(len(e.Answer)); size > eventFactor*smallEvent {
		share := s.share()
		if !s.memory.Take(share, size) {
			return quota.ErrExhausted
		}
		defer s.memory.Return(share, size)
	}
	return s.Sink.Send(e)
}

// End implements live.Sink.
func (s *loggedSink) End(why live.End) {
	defer s.close()
	s.Sink.End(why)
	omitted, ok := s.log.ended.admit(s.share())
	if !ok {
		return
	}
	s.log.log.Info("stream", omittedLines(omitted,
		"requestId", s.call.ID, "name", s.name, "protocol", s.Protocol(), "reason", string(why), "events", s.events,
		"durationMs", time.Since(s.began).Milliseconds(),
		"traceId", s.traceID, "client", s.call.Client.Name, "clientVersion", s.call.Client.Version,
	)...)
}

// close releases what the stream holds.
func (s *loggedSink) close() {
	s.count.Add(-1)
	s.release()
}
