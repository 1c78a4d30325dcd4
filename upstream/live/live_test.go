package live_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

// fixture is an engine over an api.
type fixture struct {
	*live.Engine
	t    *testing.T
	api  *api
	runs executions
}

// simulate runs a test with an engine and a clock of its own; as a subtest if it has a name.
func simulate(t *testing.T, name string, config live.Config, test func(*testing.T, *fixture)) {
	t.Helper()
	run := func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &fixture{t: t, api: newAPI()}
			config.Source = f.api
			f.Engine = live.New(config)
			t.Cleanup(func() {
				f.Close()
				if s := f.Stats(); s.Streams+s.Watches+s.Records != 0 {
					t.Errorf("left after Close: %+v", s)
				}
				goleak.VerifyNone(t, goleak.IgnoreCurrent())
			})
			test(t, f)
		})
	}
	if name == "" {
		run(t)
	} else {
		t.Run(name, run)
	}
}

// names returns the ids of records.
func names(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprint("r", i))
	}
	return ids
}

// join begins a stream of a token.
func (f *fixture) join(token, id string, until ...string) (*client, *live.Stream) {
	f.t.Helper()
	return f.joinWith(live.Request{Token: live.Token{Key: token}, Subject: live.Transaction(id), Until: live.Until{Statuses: until}})
}

// joinAs begins a stream of a caller with one token.
func (f *fixture) joinAs(caller, id string) *client {
	f.t.Helper()
	c, _ := f.joinWith(live.Request{Token: live.Token{Key: caller, Caller: caller}, Subject: live.Transaction(id)})
	return c
}

// joinTokens begins a stream of a record for each of some tokens, t0, t1 and so on.
func (f *fixture) joinTokens(n int, id string) (clients []*client) {
	f.t.Helper()
	for i := range n {
		c, _ := f.join(fmt.Sprint("t", i), id)
		clients = append(clients, c)
	}
	return clients
}

// joinRecords begins a stream of each of some records.
func (f *fixture) joinRecords(token string, n int) (clients []*client) {
	f.t.Helper()
	for _, id := range names(n) {
		c, _ := f.join(token, id)
		clients = append(clients, c)
	}
	return clients
}

func (f *fixture) joinWith(r live.Request) (*client, *live.Stream) {
	f.t.Helper()
	c := &client{}
	if r.Sink == nil {
		r.Sink = c
	}
	if r.Execute == nil {
		r.Execute = f.runs.execute
	}
	s, err := f.Join(r)
	if err != nil {
		f.t.Fatal(err)
	}
	return c, s
}

// wantReads compares the number of reads since the last count.
func (f *fixture) wantReads(low, high int, format string, args ...any) {
	f.t.Helper()
	if n := f.api.count(); n < low || n > high {
		f.t.Errorf("%d reads %s, want %d to %d", n, fmt.Sprintf(format, args...), low, high)
	}
}

// wantReadsIn lets time pass and compares the number of reads in it.
func (f *fixture) wantReadsIn(d time.Duration, low, high int, format string, args ...any) {
	f.t.Helper()
	f.api.count()
	pass(d)
	f.wantReads(low, high, format, args...)
}

// wantReadsOf is wantReads for those of a token, since the last call of readsByToken.
func (f *fixture) wantReadsOf(token string, low, high int, format string, args ...any) {
	f.t.Helper()
	if n := f.api.readsByToken()[token]; n < low || n > high {
		f.t.Errorf("%d reads %s, want %d to %d", n, fmt.Sprintf(format, args...), low, high)
	}
}

// pass lets time pass, and everything that happens in it.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestChange(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		c, _ := f.join("x", "a")
		pass(100 * time.Millisecond)
		c.want(t, "SNAPSHOT PENDING")
		pass(5 * time.Second)
		c.want(t)
		f.api.set("a", "PAID")
		pass(1200 * time.Millisecond)
		c.want(t, "CHANGED PAID")
		f.wantReadsIn(time.Minute, 1, 3, "of a settled record in a minute")
		pass(3 * time.Minute)
		f.wantReadsIn(5*time.Minute, 4, 6, "in 5 minutes of a record that has been settled for 3")
		pass(3 * time.Minute)
		f.wantReadsIn(10*time.Minute, 3, 5, "in 10 minutes of a record that has been settled for 10")
	})
}

// TestUntil: a stream ends when a status is reached, at the first reading, later, or by an entry of the history that a
// reading missed.
func TestUntil(t *testing.T) {
	tests := []struct {
		name   string
		since  time.Duration // before now; 0 for none
		before []string      // statuses before the stream begins
		after  []string      // at the same time, so that one reading sees all
		events []string
		end    live.End
	}{
		{"later", 0, nil, []string{"PAID"}, []string{"SNAPSHOT PENDING", "REACHED PAID"}, live.EndFinal},
		{"at the first reading", 0, []string{"PAID"}, nil, []string{"REACHED PAID"}, live.EndFinal},
		{"between two readings", 0, nil, []string{"PAID", "REFUNDED"}, []string{"SNAPSHOT PENDING", "REACHED REFUNDED"}, live.EndFinal},
		{"before the stream, without since", 0, []string{"PAID", "REFUNDED"}, nil, []string{"SNAPSHOT REFUNDED"}, ""},
		{"before the stream, after since", time.Hour, []string{"PAID", "REFUNDED"}, nil, []string{"REACHED REFUNDED"}, live.EndFinal},
		{"a second time", 0, []string{"PAID", "REFUNDED"}, []string{"PAID", "REFUNDED"}, []string{"SNAPSHOT REFUNDED", "REACHED REFUNDED"}, live.EndFinal},
		{"another status", 0, nil, []string{"FAILED"}, []string{"SNAPSHOT PENDING", "CHANGED FAILED"}, ""},
	}
	for _, tt := range tests {
		simulate(t, tt.name, live.Config{}, func(t *testing.T, f *fixture) {
			pass(time.Minute)
			for _, status := range tt.before {
				f.api.set("a", status)
			}
			until := live.Until{Statuses: []string{"PAID"}}
			if tt.since > 0 {
				until.Since = time.Now().Add(-tt.since)
			}
			pass(time.Minute)
			c, _ := f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: live.Transaction("a"), Until: until})
			pass(time.Second)
			for _, status := range tt.after {
				f.api.set("a", status)
			}
			pass(time.Minute)
			c.want(t, tt.events...)
			c.wantEnd(t, tt.end)
		})
	}
}

// TestSharing: streams of one token, subject and answer share reads and executions; another answer shares the reads.
func TestSharing(t *testing.T) {
	simulate(t, "", live.Config{Streams: 1000}, func(t *testing.T, f *fixture) {
		var clients []*client
		for range 500 {
			c, _ := f.join("x", "a")
			clients = append(clients, c)
		}
		other, _ := f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: live.Transaction("a"), Answer: "other"})
		pass(10 * time.Second)
		f.wantReads(10, 13, "in 10 s, want one for each")
		f.runs.count()
		f.api.set("a", "PAID")
		pass(1200 * time.Millisecond)
		wantAll(t, append(clients, other), "SNAPSHOT PENDING", "CHANGED PAID")
		if n := f.runs.count(); n != 2 {
			t.Errorf("%d executions for two answers", n)
		}
	})
}

// TestLateJoin: a stream that joins gets the last answer at once if it is recent, else the subject is read.
func TestLateJoin(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		f.join("x", "a")
		pass(10 * time.Millisecond)
		f.api.count()
		c, _ := f.join("x", "a")
		pass(time.Millisecond)
		c.want(t, "SNAPSHOT PENDING")
		f.wantReads(0, 0, "for a recent answer")
		f.api.set("a", "PAID")
		pass(2 * time.Second)
		pass(10 * time.Second) // settled: the answer is old
		f.api.count()
		c, _ = f.join("x", "a")
		pass(10 * time.Millisecond)
		c.want(t, "SNAPSHOT PAID")
		f.wantReads(1, 1, "for an old answer")
	})
}

// TestPollsOfManyTokens: a record costs the same however many tokens watch it, and each learns of a change by a read of
// its own.
func TestPollsOfManyTokens(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		var clients []*client
		for i := range 100 {
			token := fmt.Sprint("t", i)
			f.api.show(token, " for "+token)
			clients = append(clients, f.joinAs(token, "a"))
		}
		pass(2 * time.Second)
		f.wantReadsIn(100*time.Second, 0, 120, "in 100 intervals")
		f.api.set("a", "PAID")
		f.api.readsByToken()
		pass(1300 * time.Millisecond)
		for i, c := range clients {
			c.want(t, fmt.Sprintf("SNAPSHOT PENDING for t%d", i), fmt.Sprintf("CHANGED PAID for t%d", i))
		}
		for token, n := range f.api.readsByToken() {
			if n > 2 {
				t.Errorf("%d reads of %s for one change", n, token)
			}
		}
	})
}

// TestRestlessRecord: a member that differs at every read neither makes all tokens read, nor keeps the interval short.
func TestRestlessRecord(t *testing.T) {
	for _, tokens := range []int{1, 50} {
		simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
			f.api.noise.Store(true)
			f.joinTokens(tokens, "a")
			pass(20 * time.Minute)
			f.wantReadsIn(5*time.Minute, 0, 70, "of %d tokens in 60 intervals of 5 s", tokens)
			f.api.set("a", "PENDING_COMPLIANCE")
			pass(10 * time.Second)
			f.wantReadsIn(time.Minute, 50, 10_000, "of %d tokens in a minute after a change of the status", tokens)
		})
	}
}

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

// TestOutage: no stream is lost while an API fails for a minute, each is notified once, and all are current soon after.
func TestOutage(t *testing.T) {
	for name, err := range map[string]*upstream.Error{
		"5xx":          {Kind: upstream.KindServerError, Status: 500},
		"open breaker": {Kind: upstream.KindUnavailable, RetryAfter: 5 * time.Second},
		"429":          {Kind: upstream.KindRateLimited, Status: 429, RetryAfter: 5 * time.Second},
	} {
		for _, status := range []string{"PENDING", "PAID"} {
			simulate(t, name+" "+status, live.Config{}, func(t *testing.T, f *fixture) {
				f.api.set("a", status)
				c, _ := f.join("x", "a")
				pass(time.Second)
				c.want(t, "SNAPSHOT "+status)
				f.api.fail("", err)
				pass(80 * time.Second)
				c.want(t, "STALE")
				f.api.set("a", "REFUNDED")
				f.api.fail("", nil)
				pass(10 * time.Second)
				c.want(t, "RECOVERED REFUNDED")
				c.wantEnd(t, "")
			})
		}
	}
}

// TestRateOfCaller: reads without credit are postponed, not failed. The first one was paid when the stream began.
func TestRateOfCaller(t *testing.T) {
	var paid atomic.Bool
	simulate(t, "", live.Config{Pay: func(live.Token) time.Duration {
		if paid.Load() {
			return 0
		}
		return 2 * time.Second
	}}, func(t *testing.T, f *fixture) {
		c, _ := f.join("x", "a")
		pass(100 * time.Millisecond)
		c.want(t, "SNAPSHOT PENDING")
		f.api.set("a", "PAID")
		f.api.count()
		pass(20 * time.Second)
		c.want(t)
		f.wantReads(0, 0, "without credit")
		if s := f.Stats(); s.Postponed == 0 || s.Failed != 0 {
			t.Errorf("%+v", s)
		}
		pass(30 * time.Second)
		c.want(t, "STALE")
		paid.Store(true)
		pass(5 * time.Second)
		c.want(t, "RECOVERED PAID")
	})
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
		if l := got.Latency; l.Count != 2 || l.Buckets[2.5] != 2 || l.Buckets[60] != 2 || l.Sum <= 0 || l.Sum > 5 {
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

// TestStuckClient: a client that does not read holds its newest event only, and delays nobody else.
func TestStuckClient(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		stuck := &client{stuck: make(chan struct{})}
		f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: live.Transaction("a"), Sink: stuck})
		c, _ := f.join("x", "a")
		for _, status := range []string{"PIX_QRCODE_GENERATED", "PROCESSING", "PAID"} {
			pass(2 * time.Second)
			f.api.set("a", status)
		}
		pass(2 * time.Second)
		c.want(t, "SNAPSHOT PENDING", "CHANGED PIX_QRCODE_GENERATED", "CHANGED PROCESSING", "CHANGED PAID")
		close(stuck.stuck)
		synctest.Wait()
		stuck.want(t, "SNAPSHOT PENDING", "CHANGED PAID")
	})
}

// TestEnds: a stream ends with its token, its lifetime, its client, or the gateway.
func TestEnds(t *testing.T) {
	simulate(t, "", live.Config{Lifetime: time.Hour, Heartbeat: 15 * time.Second}, func(t *testing.T, f *fixture) {
		expiring, _ := f.joinWith(live.Request{
			Token: live.Token{Key: "x", Expires: time.Now().Add(10 * time.Minute)}, Subject: live.Transaction("a"),
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
		join := func(token string) error {
			_, err := f.Join(live.Request{
				Token: live.Token{Key: token, Caller: token}, Subject: live.Transaction("a"), Execute: f.runs.execute, Sink: &client{},
			})
			return err
		}
		for i, want := range []error{nil, nil, nil, live.ErrTooManyOfCaller} {
			if err := join("x"); !errors.Is(err, want) {
				t.Errorf("stream %d: %v, want %v", i, err, want)
			}
		}
		for i, want := range []error{nil, nil, live.ErrTooMany} {
			if err := join("y"); !errors.Is(err, want) {
				t.Errorf("stream %d: %v, want %v", i, err, want)
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
		other, _ := f.joinWith(live.Request{Token: live.Token{Key: "y"}, Subject: live.Transaction("a"), Answer: "fine", Execute: fine})
		sending := &client{err: errPanics}
		f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: live.Transaction("a"), Sink: sending})
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
