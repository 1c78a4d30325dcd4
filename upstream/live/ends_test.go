package live_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

// TestLostRight: a token that may no longer read the record is taken out at once and learns nothing; others continue.
func TestLostRight(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		good, _ := f.join("x", "a")
		bad, _ := f.join("y", "a")
		pass(3 * time.Second)
		f.api.fail("y", &upstream.Error{Kind: upstream.KindForbidden, Status: 403})
		f.api.set("a", "PAID")
		pass(1300 * time.Millisecond)
		good.want(t, "SNAPSHOT PENDING", "CHANGED PAID")
		bad.want(t, "SNAPSHOT PENDING", "FAILED")
		bad.wantEnd(t, live.EndFinal)
		good.wantEnd(t, "")
		f.api.readsByToken()
		pass(time.Hour)
		f.wantReadsOf("y", 0, 0, "with a token without streams")
	})
}

// TestFirstReadFails: what never was readable ends the stream; what may become readable is awaited.
func TestFirstReadFails(t *testing.T) {
	for kind := range upstream.NumKinds {
		simulate(t, kind.String(), live.Config{}, func(t *testing.T, f *fixture) {
			f.api.fail("", &upstream.Error{Kind: kind})
			c, _ := f.join("x", "a")
			pass(100 * time.Millisecond)
			if kind.Reaction().EndsStream {
				c.want(t, "FAILED")
				c.wantEnd(t, live.EndFinal)
				return
			}
			c.want(t, "STALE")
			f.api.fail("", nil)
			pass(8 * time.Second)
			c.want(t, "SNAPSHOT PENDING")
		})
	}
}

// TestStats: events and ends are counted by reason. The latency is that of changes after the first event.
func TestStats(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		f.api.set("b", "PAID")
		pass(time.Hour)
		f.join("x", "b", "PAID") // its status was reached long ago
		f.join("x", "a", "PAID")
		_, s := f.join("y", "a")
		pass(time.Second)
		f.api.set("a", "PAID")
		pass(3 * time.Second)
		s.Close()
		pass(time.Second)
		got := f.Stats()
		if got.Events[live.Snapshot] != 2 || got.Events[live.Reached] != 2 || got.Events[live.Changed] != 1 {
			t.Errorf("events %v", got.Events)
		}
		if got.Ends[live.EndFinal] != 2 || got.Ends[live.EndClient] != 1 {
			t.Errorf("ends %v", got.Ends)
		}
		registry := prometheus.NewRegistry()
		registry.MustRegister(got.Latency)
		gathered, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		l, upTo := gathered[0].Metric[0].Histogram, map[float64]uint64{}
		for _, b := range l.Bucket {
			upTo[b.GetUpperBound()] = b.GetCumulativeCount()
		}
		if sum := l.GetSampleSum(); l.GetSampleCount() != 2 || upTo[2.5] != 2 || upTo[60] != 2 || sum <= 0 || sum > 5 {
			t.Errorf("latency %+v", l)
		}
	})
}

// TestLeaving: the last stream ends the reads, and a cohort continues without its first stream.
func TestLeaving(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		first, s := f.join("x", "a")
		second, other := f.join("x", "a")
		pass(100 * time.Millisecond)
		s.Close()
		synctest.Wait()
		first.wantEnd(t, live.EndClient)
		f.api.set("a", "PAID")
		pass(1200 * time.Millisecond)
		first.want(t, "SNAPSHOT PENDING")
		second.want(t, "SNAPSHOT PENDING", "CHANGED PAID")
		other.Close()
		other.Close()
		f.wantReadsIn(time.Hour, 0, 0, "without streams")
	})
}

// TestEnds: a stream ends with its token, its lifetime, its client, or the gateway.
func TestEnds(t *testing.T) {
	simulate(t, "", live.Config{Lifetime: time.Hour, Heartbeat: 15 * time.Second}, func(t *testing.T, f *fixture) {
		expiring, _ := f.joinWith(live.Request{
			Token: live.Token{Key: "x", Expires: time.Now().Add(10 * time.Minute)}, Subject: transaction("a"),
		})
		broken, _ := f.join("y", "a")
		lasting, _ := f.join("z", "a")
		pass(time.Minute)
		broken.mu.Lock()
		broken.err = errors.New("gone")
		broken.mu.Unlock()
		pass(10 * time.Minute)
		expiring.wantEnd(t, live.EndExpired)
		broken.wantEnd(t, live.EndSlow)
		lasting.wantEnd(t, "")
		lasting.mu.Lock()
		if lasting.beats < 40 || lasting.beats > 45 {
			t.Errorf("%d heartbeats in 11 minutes", lasting.beats)
		}
		lasting.mu.Unlock()
		pass(50 * time.Minute)
		lasting.wantEnd(t, live.EndLifetime)
		drained, _ := f.join("x", "a")
		f.Drain(10 * time.Second)
		pass(11 * time.Second)
		drained.wantEnd(t, live.EndDrain)
		if _, err := f.Join(live.Request{}); !errors.Is(err, live.ErrDraining) {
			t.Errorf("a stream began during drain: %v", err)
		}
	})
}

// TestBounds: streams are bounded in all and by token.
func TestBounds(t *testing.T) {
	simulate(t, "", live.Config{Streams: 5, StreamsPerCaller: 3}, func(t *testing.T, f *fixture) {
		for i, tt := range []struct {
			token string
			want  error
		}{
			{"x", nil}, {"x", nil}, {"x", nil}, {"x", live.ErrTooManyOfCaller}, {"y", nil}, {"y", nil}, {"y", live.ErrTooMany},
		} {
			_, err := f.Join(live.Request{
				Token: live.Token{Key: tt.token, Caller: tt.token}, Subject: transaction("a"), Execute: f.runs.execute, Sink: &client{},
			})
			if !errors.Is(err, tt.want) {
				t.Errorf("stream %d: %v, want %v", i, err, tt.want)
			}
		}
	})
}

// TestPanics: a panic ends the streams that it concerns, and no others.
func TestPanics(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		good, _ := f.join("x", "a")
		fine := func(context.Context, *live.Reading) ([]byte, error) { return []byte("fine"), nil }
		f.api.show("y", "panic")
		answer, _ := f.join("y", "a")
		other, _ := f.joinWith(live.Request{Token: live.Token{Key: "y"}, Subject: transaction("a"), Answer: "fine", Execute: fine})
		sending := &client{err: errPanics}
		f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: transaction("a"), Sink: sending})
		pass(time.Second)
		answer.want(t, "FAILED")
		answer.wantEnd(t, live.EndFinal)
		other.want(t, "SNAPSHOT fine")
		other.wantEnd(t, "")
		sending.wantEnd(t, live.EndFault)
		f.api.set("a", "PAID")
		pass(2 * time.Second)
		good.want(t, "SNAPSHOT PENDING", "CHANGED PAID")
	})
}

// TestRejectedToken: a token whose expiry is unknown, and which the API accepted before, has expired when the API
// rejects it.
func TestRejectedToken(t *testing.T) {
	rejected := &upstream.Error{Kind: upstream.KindUnauthenticated, Status: 401}
	for name, tt := range map[string]struct {
		expires time.Duration // 0 if it is unknown
		before  bool          // rejected before the first reading
		end     live.End
	}{
		"unknown expiry":                   {0, false, live.EndExpired},
		"unknown expiry, at the beginning": {0, true, live.EndFinal},
		"a token that is still valid":      {time.Hour, false, live.EndFinal},
		"a token that expires soon":        {30 * time.Second, false, live.EndExpired},
	} {
		simulate(t, name, live.Config{}, func(t *testing.T, f *fixture) {
			token := live.Token{Key: "x"}
			if tt.expires > 0 {
				token.Expires = time.Now().Add(tt.expires)
			}
			if tt.before {
				f.api.fail("", rejected)
			}
			c, _ := f.joinWith(live.Request{Token: token, Subject: transaction("a")})
			pass(2 * time.Second)
			f.api.fail("", rejected)
			pass(2 * time.Second)
			c.wantEnd(t, tt.end)
		})
	}
}
