package pipeline

import (
	"errors"
	"testing"

	"pixgraph/internal/quota"
	"pixgraph/upstream/live"
)

// blockedSink is a client that does not read: Send returns when the test receives from it.
type blockedSink struct {
	live.Sink
	sending chan struct{}
}

func (blockedSink) Protocol() string { return "" }

func (s blockedSink) Send(live.Event) error {
	s.sending <- struct{}{}
	s.sending <- struct{}{}
	return nil
}

// TestEventsAreCounted: while clients do not read, their events take memory of requests, of which one caller gets a
// part. A stream without memory for its event ends. Small events are not counted.
func TestEventsAreCounted(t *testing.T) {
	pool := quota.NewPool(1<<20, 1)
	large := live.Event{Answer: make([]byte, 100<<10)}
	send := func(caller string, e live.Event) (sending chan struct{}, done chan error) {
		s := &loggedSink{Sink: blockedSink{sending: make(chan struct{})}, share: func() string { return caller }, memory: pool}
		done = make(chan error, 1)
		go func() { done <- s.Send(e) }()
		return s.Sink.(blockedSink).sending, done
	}
	blocked, first := send("a", large)
	<-blocked
	if used, _ := pool.Used(); used != eventFactor*100<<10 {
		t.Errorf("an event takes %d bytes", used)
	}
	if _, second := send("a", live.Event{Answer: make([]byte, 200<<10)}); !errors.Is(<-second, quota.ErrExhausted) {
		t.Error("a second event of the caller has memory")
	}
	small, third := send("a", live.Event{Answer: make([]byte, smallEvent)})
	<-small
	if used, _ := pool.Used(); used != eventFactor*100<<10 {
		t.Errorf("with a small event, %d bytes are used", used)
	}
	<-small
	<-blocked
	if err := errors.Join(<-first, <-third); err != nil {
		t.Error(err)
	}
	if used, _ := pool.Used(); used != 0 {
		t.Errorf("%d bytes are left", used)
	}
}
