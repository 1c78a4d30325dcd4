package serve

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/upstream/live"
)

// blockedSink is a client that does not read: Send returns when the test receives from it.
type blockedSink struct {
	live.Sink
	sending chan struct{}
}

func (blockedSink) Protocol() string { return "" }

func (blockedSink) End(live.End) {}

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

// TestStreamLinesAreBounded: streams that end cause few lines of their caller. The next line has the number of those
// omitted.
func TestStreamLinesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		log := newOperationLog(Config{Log: slog.New(slog.NewTextHandler(&logged, nil))})
		end := func(times int) {
			for range times {
				call := &request.Call{}
				s := &loggedSink{Sink: blockedSink{}, log: log, call: call, share: call.Share, count: new(atomic.Int64), release: func() {}}
				s.End(live.EndClient)
			}
		}
		const ended = 200
		end(ended)
		if n := strings.Count(logged.String(), "msg=stream"); n != endedLines {
			t.Errorf("%d lines", n)
		}
		time.Sleep(time.Second)
		end(1)
		if !strings.Contains(logged.String(), fmt.Sprintf("omitted=%d", ended-endedLines)) {
			t.Errorf("the omitted lines are not counted: %s", &logged)
		}
	})
}
