package live

import (
	"context"
	"testing"
	"time"
	"unsafe"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// TestExpiryAfterClockStep: timers are of the monotonic clock, and the expiry of a token is of the wall clock. A
// stream ends with its token, and gets heartbeats until then, although the wall clock was set since the engine began,
// for example when the time of the machine was synchronized after it booted.
func TestExpiryAfterClockStep(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		e := New(Config{Source: hanging{}, Heartbeat: 1000 * time.Hour, Lifetime: 10_000 * time.Hour})
		e.timers.start = beforeStep(e.timers.start, step)
		const left = 500 * time.Hour // less than the time until the first heartbeat
		expires := time.Now().Add(left)
		s, err := e.Join(Request{Token: Token{Expires: expires.Round(0)}, Subject: Record((*client.Session).Transaction, "a"), Sink: ignored{}})
		if err != nil {
			t.Fatal(err)
		}
		e.mu.Lock()
		fires := e.timers.time(s.timer.at)
		e.mu.Unlock()
		if late := fires.Sub(expires); late < 0 || late > time.Second {
			t.Errorf("step of %s: the timer of a stream fires %s after its token has expired", step, late)
		}
		e.Close()
	}
}

// beforeStep returns a time as the clocks showed it before the wall clock was set forward.
func beforeStep(at time.Time, step time.Duration) time.Time {
	type layout struct { // of time.Time
		_         uint64
		monotonic int64
	}
	at = at.Add(-step) // of both clocks
	(*layout)(unsafe.Pointer(&at)).monotonic += int64(step)
	return at
}

// hanging is a Source that does not answer.
type hanging struct{}

func (hanging) Read(ctx context.Context, _ Token, _ Subject, _ bool, _ *client.Digest) (*Reading, error) {
	<-ctx.Done()
	return nil, &upstream.Error{Kind: upstream.KindCanceled}
}

// ignored is a Sink that does nothing.
type ignored struct{}

func (ignored) Send(Event) error { return nil }
func (ignored) Heartbeat() error { return nil }
func (ignored) End(End)          {}
