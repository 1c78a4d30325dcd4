package live_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"pixgraph/upstream/live"
)

// bucket is a token bucket that pays for the calls of streams in parts, as limits.PayPart does.
type bucket struct {
	mu      sync.Mutex
	rate    float64 // tokens per second
	full    int
	tokens  float64
	at      time.Time
	charged int // in all
}

func (b *bucket) pay(_ live.Token, calls int) (int, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.tokens = min(float64(b.full), b.tokens+b.rate*now.Sub(b.at).Seconds())
	b.at = now
	if missing := float64(b.full/2) - b.tokens; missing > 0 {
		return 0, time.Duration(missing / b.rate * float64(time.Second))
	}
	paid := min(calls, b.full/2)
	b.tokens -= float64(paid)
	b.charged += paid
	return paid, 0
}

// take returns what was charged since the last call.
func (b *bucket) take() (charged int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	charged, b.charged = b.charged, 0
	return charged
}

// joinLinked begins a stream whose answers make calls.
func (f *fixture) joinLinked(id string, calls int) *client {
	f.t.Helper()
	c, _ := f.joinWith(live.Request{Token: live.Token{Key: "x", Caller: "x"}, Subject: transaction(id), Calls: calls})
	return c
}

// TestEventsPayForCalls: the calls of an event are charged when there is one. A read that finds nothing new costs one,
// and the first answer was paid for when its stream began.
func TestEventsPayForCalls(t *testing.T) {
	b := &bucket{rate: 1e6, full: 1e6}
	simulate(t, "", live.Config{Pay: b.pay, Random: func() float64 { return 0.5 }}, func(t *testing.T, f *fixture) {
		c := f.joinLinked("a", 50)
		pass(10 * time.Second)
		if reads, charged := f.api.count(), b.take(); charged != reads-1 {
			t.Errorf("%d calls charged for %d reads without a change", charged, reads)
		}
		f.api.set("a", "PAID")
		pass(2 * time.Second)
		c.want(t, "SNAPSHOT PENDING", "CHANGED PAID")
		if reads, charged := f.api.count(), b.take(); charged != reads+50 {
			t.Errorf("%d calls charged for %d reads and an event of 50 calls", charged, reads)
		}
		second := f.joinLinked("a", 50) // it has paid for its answer
		pass(500 * time.Millisecond)
		second.want(t, "SNAPSHOT PAID")
		if charged := b.take(); charged > 1 {
			t.Errorf("%d calls charged for a snapshot", charged)
		}
	})
}

// TestEventsWithoutCredit: events whose calls exceed the rate of their caller are late: none is free, and none is lost.
func TestEventsWithoutCredit(t *testing.T) {
	const streams, calls, rate, burst, seconds = 30, 50, 20, 40, 120
	b := &bucket{rate: rate, full: burst, tokens: burst, at: time.Now()}
	simulate(t, "", live.Config{Pay: b.pay}, func(t *testing.T, f *fixture) {
		b.at = time.Now()
		var clients []*client
		for _, id := range names(streams) {
			clients = append(clients, f.joinLinked(id, calls))
		}
		pass(time.Second)
		if n := f.runs.count(); n != streams {
			t.Errorf("%d snapshots of %d streams", n, streams)
		}
		f.api.count()
		for i := range seconds {
			for _, id := range names(streams) {
				f.api.set(id, fmt.Sprint("S", i))
			}
			pass(time.Second)
		}
		reads, events := f.api.count(), f.runs.count()
		if made := reads + calls*events; made > rate*seconds+burst || made < rate*seconds*6/10 {
			t.Errorf("%d reads and %d events of %d calls in %d s, at %d calls per second", reads, events, calls, seconds, rate)
		}
		for _, id := range names(streams) {
			f.api.set(id, "LAST")
		}
		pass(5 * time.Minute)
		for _, c := range clients {
			c.wantLast(t, "LAST")
		}
	})
}
