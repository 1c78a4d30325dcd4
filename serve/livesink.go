package serve

import (
	"bytes"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-faster/jx"

	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/stream"
	"pixgraph/upstream/live"
)

// protocols are the protocols of streams.
var protocols = [...]string{stream.SSE, stream.Multipart, stream.WebSocket}

// loggedSink logs the end of a stream, if its caller has few, and then releases what the stream holds.
type loggedSink struct {
	stream.Sink
	log           *operationLog
	call          *request.Call // as the stream keeps it
	name, traceID string
	began         time.Time
	events        int
	key           string   // of the record in the data
	facts         []string // the keys of its members with the facts of an event; nil for none
	share         func() string
	memory        *quota.Pool // for events while they are sent
	count         *atomic.Int64
	release       func()
}

func (g *Gateway) newLoggedSink(sink stream.Sink, kept *request.Call, name string, release func()) *loggedSink {
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
	factor := int64(eventFactor + min(len(s.facts), 1)) // the answer with facts is another copy
	if size := factor * int64(len(e.Answer)); size > eventFactor*smallEvent {
		share := s.share()
		if !s.memory.Take(share, size) {
			return quota.ErrExhausted
		}
		defer s.memory.Return(share, size)
	}
	if e.Answer != nil && s.facts != nil {
		e.Answer = withFacts(e, s.key, s.facts)
	}
	return s.Sink.Send(e)
}

// withFacts returns the answer of an event with its facts as members of the record, which are null. The answer itself
// belongs to all streams that have it.
func withFacts(e live.Event, key string, members []string) []byte {
	var facts, out bytes.Buffer
	stream.AppendFacts(&facts, e)
	out.Grow(len(e.Answer) + 1 + len(members)*facts.Len())
	replaceMembers(&out, append(slices.Clip(e.Answer), '}'), []string{"data", key}, members, facts.Bytes())
	return out.Bytes()[:out.Len()-1] // an answer is without the end of its object
}

// replaceMembers writes an object of a response, in which members of the object at a path have another value.
func replaceMembers(to *bytes.Buffer, object []byte, path, members []string, value []byte) {
	separator := byte('{')
	err := jx.DecodeBytes(object).ObjBytes(func(d *jx.Decoder, name []byte) error {
		raw, err := d.Raw()
		to.WriteByte(separator)
		separator = ','
		to.WriteString(`"` + string(name) + `":`) // a name of GraphQL has no escapes
		switch {
		case len(path) > 0 && string(name) == path[0] && len(raw) > 0 && raw[0] == '{':
			replaceMembers(to, raw, path[1:], members, value)
		case len(path) == 0 && slices.Contains(members, string(name)):
			to.Write(value)
		default:
			to.Write(raw)
		}
		return err
	})
	if err != nil {
		panic(err) // the gateway wrote it
	}
	if separator == '{' {
		to.WriteByte('{')
	}
	to.WriteByte('}')
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
