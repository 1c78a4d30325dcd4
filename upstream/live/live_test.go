package live_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/live"
)

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
			c, _ := f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: transaction("a"), Until: until})
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
		other, _ := f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: transaction("a"), Answer: "other"})
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
		simulate(t, "", live.Config{}, func(_ *testing.T, f *fixture) {
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

// TestStuckClient: a client that does not read holds its newest event only, and delays nobody else.
func TestStuckClient(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		stuck := &client{stuck: make(chan struct{})}
		f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: transaction("a"), Sink: stuck})
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
