package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"

	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/live"
)

// TestEventsAreTheQuery: each event of a generated subscription, while its records change, has the bytes that the query
// with the same selection then has: over each protocol, and for streams
// that share answers.
func TestEventsAreTheQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, pairs := newDifferential(t, false), *generatedCount
		first := firstSeed(t, "generated", pairs)
		var all eventCounts
		for i := range pairs {
			d.wantEvents(t, first+uint64(i), &all)
		}
		t.Logf("%+v", all)
		missing := all.Answers == 0 || all.WithErrors == 0 || all.WithErrors == all.Answers || all.Reached == 0 || all.Stale == 0 || all.Failed == 0
		if pairs >= enoughGenerated && missing {
			t.Errorf("%+v, want some of each", all)
		}
	})
}

// eventCounts counts the events of one stream of each pair.
type eventCounts struct{ Answers, WithErrors, Reached, Stale, Failed int }

// eventPair is a subscription, its query, and the streams of both gateways.
type eventPair struct {
	*differential
	t       testing.TB
	seed    uint64
	token   string
	request subscription
	streams []eventStream
	last    []byte // the answer of the last event that has one
	stale   bool   // whether the streams have got only an event without an answer
	current bool   // whether the last answer is that of the last change
}

// wantEvents generates a subscription, and changes of what it watches. It fails the test unless each stream has the
// events that the responses to the query require.
func (d *differential) wantEvents(t testing.TB, seed uint64, counts *eventCounts) {
	t.Helper()
	g := newGenerator(seed, 13, d)
	p := &eventPair{differential: d, t: t, seed: seed, token: fmt.Sprint("events-", seed), request: g.subscription()}
	defer func() {
		for _, stream := range p.streams {
			stream.close()
		}
	}()
	const stages = 3
	for g.stage = 1; g.stage <= stages; g.stage++ {
		if p.change(g, g.responses(), counts) {
			return
		}
		if g.stage == 2 && p.current { // one that gets the answer of others
			p.join(g)
			p.want(p.streams[len(p.streams)-1:], p.last, live.Snapshot)
		}
	}
	if !p.change(g, unusable(), counts) {
		t.Fatalf("seed %d: the streams of %s did not end", seed, p.request.document)
	}
}

// eventStream is a stream of a pair.
type eventStream struct {
	name string
	watched
}

// join begins one more stream. The first two are over SSE, to both gateways.
func (p *eventPair) join(g generator) {
	p.t.Helper()
	side, over := len(p.streams)%2, overSSE
	if len(p.streams) > 1 {
		side, over = g.IntN(2), protocol(g.IntN(3))
	}
	stream := p.over[side].watch(p.t, over, p.token, p.request.document, p.request.variables)
	p.streams = append(p.streams, eventStream{fmt.Sprintf("gateway %d over %v", side, over), stream})
}

// change changes what the APIs respond, and checks the events of the streams. It reports whether these were their last.
func (p *eventPair) change(g generator, bodies map[string][]byte, counts *eventCounts) (final bool) {
	p.t.Helper()
	p.set(bodies)
	answer := p.queried()
	kind := kindOf(answer, p.request.key)
	p.current = kind == live.Changed
	p.show(bodies)
	switch first := p.streams == nil; {
	case first:
		p.join(g)
		p.join(g)
		p.join(g)
	case kind == live.Stale && (p.stale || p.last != nil): // streams are notified after 30 s, or were
		p.awaitReads()
		return false
	case kind == live.Changed && bytes.Equal(answer, p.last):
		if !p.awaitReads() {
			return false // no event
		}
		kind = live.Reached // the status, with the same answer
	}
	reason := p.want(p.streams, answer, kind)
	counts.count(reason, answer)
	if final = reason == live.Reached || reason == live.Failed; final {
		for _, stream := range p.streams {
			if more := stream.next(); more != nil {
				p.t.Errorf("seed %d: %s has %s after its last event", p.seed, stream.name, more)
			}
		}
	}
	if p.stale = reason == live.Stale; !p.stale {
		p.last = answer
	}
	return final
}

// count counts an event with an answer.
func (c *eventCounts) count(reason live.Reason, answer []byte) {
	switch reason {
	case live.Stale:
		c.Stale++
	case live.Failed:
		c.Failed++
	default:
		c.Answers++
		if bytes.HasPrefix(answer, []byte(`{"errors"`)) {
			c.WithErrors++
		}
		if reason == live.Reached {
			c.Reached++
		}
	}
}

// set sets the responses to operations. Those to the reads of streams stay as they are until show.
func (d *differential) set(bodies map[string][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.polled == nil {
		d.polled = d.bodies
	}
	d.bodies = bodies
}

func (d *differential) show(bodies map[string][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.polled = bodies
}

// awaitReads waits until both gateways have handled a read that began after the last change: a stream reads again only
// then. It returns true if the streams have ended instead.
func (p *eventPair) awaitReads() (ended bool) {
	p.t.Helper()
	begun := p.reads()
	(&gateway{p.over[0].Within(p.t)}).await("reads of both gateways, or the end of the streams", func() bool {
		now := p.reads()
		ended = p.over[0].Handler.Live().Streams == 0 || p.over[1].Handler.Live().Streams == 0
		return ended || now[0] >= begun[0]+2 && now[1] >= begun[1]+2
	})
	return ended
}

// reads returns the number of reads for the streams of each gateway.
func (d *differential) reads() [2]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.polls
}

// queried returns the response to the query, which both gateways agree on. The token has then learned all links of it.
func (p *eventPair) queried() []byte {
	p.t.Helper()
	body, err := json.Marshal(map[string]any{"query": p.request.query, "variables": p.request.variables})
	must(p.t, err)
	var last []byte
	for {
		response := p.sendBoth(p.t, p.token, body)
		if p.t.Failed() || bytes.Contains(response, []byte("GRAPHQL_VALIDATION_FAILED")) {
			p.t.Fatalf("seed %d: %s %v: %.500s", p.seed, p.request.query, p.request.variables, response)
		}
		if bytes.Equal(response, last) {
			return response
		}
		last = response
	}
}

// kindOf returns whether the streams of a field have an answer, in which case they get it, or why not.
func kindOf(response []byte, key string) live.Reason {
	var shown struct {
		Data   map[string]json.RawMessage
		Errors []gatewaytest.Error
	}
	if json.Unmarshal(response, &shown) != nil || string(shown.Data[key]) != "null" || len(shown.Errors) != 1 || len(shown.Errors[0].Path) != 1 {
		return live.Changed
	}
	switch shown.Errors[0].Extensions["code"] {
	case "NOT_FOUND", "PAGINATION_UNSUPPORTED":
		return live.Failed
	default:
		return live.Stale
	}
}

var (
	// requestIDs are those in errors. Streams that share an answer have the id of one of them.
	requestIDs = regexp.MustCompile(`"requestId":"[^"]*"`)
	// facts are the values of the field live, which is null in the query.
	facts = regexp.MustCompile(`:\{"reason":"[A-Z]+","observedAt":"[^"]*","nextPollMs":(null|\d+),"final":(true|false)\}`)
	// locations are those of errors. The error of an event without an answer has none.
	locations = regexp.MustCompile(`"locations":[^]]*],`)
)

// withoutIDs is a response without what may differ.
func withoutIDs(response []byte, kind live.Reason) []byte {
	response = requestIDs.ReplaceAll(response, nil)
	if end := bytes.LastIndex(response, []byte(`,"extensions":{"live":`)); end >= 0 {
		response = slices.Concat(facts.ReplaceAll(response[:end], []byte(":null")), response[end:])
	}
	if kind == live.Stale || kind == live.Failed {
		response = locations.ReplaceAll(response, nil)
	}
	return response
}

// want reads the next event of each stream, which must be the response to the query, and returns its reason.
func (p *eventPair) want(streams []eventStream, response []byte, kind live.Reason) (reason live.Reason) {
	p.t.Helper()
	reasons := map[live.Reason][]live.Reason{
		live.Changed: {live.Snapshot, live.Changed, live.Reached}, live.Snapshot: {live.Snapshot}, live.Stale: {live.Stale}, live.Failed: {live.Failed},
		live.Reached: {live.Reached},
	}[kind]
	before := withoutIDs(bytes.TrimSuffix(bytes.TrimSpace(response), []byte("}")), kind)
	if kind == live.Stale { // the stream reads again, whatever a client should do
		before = bytes.ReplaceAll(before, []byte(`"retryable":false`), []byte(`"retryable":true`))
	}
	for _, stream := range streams {
		event := stream.next()
		rest, same := bytes.CutPrefix(withoutIDs(event, kind), before)
		var shown struct {
			Live struct {
				Reason live.Reason
				Final  bool
			}
		}
		text, has := bytes.CutPrefix(rest, []byte(`,"extensions":`))
		if !same || !has || json.Unmarshal(bytes.TrimSuffix(text, []byte("}")), &shown) != nil || !slices.Contains(reasons, shown.Live.Reason) {
			p.t.Fatalf("seed %d: %s has another event:\n%s\nwant %s, one of %v\n%s %v\n%s", p.seed, stream.name, around(event, response),
				around(response, event), reasons, p.request.document, p.request.variables, p.bodies)
		}
		reason = shown.Live.Reason
		if shown.Live.Final != (reason == live.Reached || reason == live.Failed) {
			p.t.Errorf("seed %d: %s", p.seed, event)
		}
	}
	return reason
}
