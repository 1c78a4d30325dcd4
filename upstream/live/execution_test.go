package live_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream/live"
)

var errNoMemory = errors.New("no memory")

// TestExecutionFails: without an answer to a change, the streams keep their last one. They are notified after half a
// minute, and get the answer as soon as it can be computed, also the final one.
func TestExecutionFails(t *testing.T) {
	tests := []struct {
		name   string
		change string // "" if the first execution fails
		until  string
		length time.Duration
		during []string
		after  []string
	}{
		{"shortly", "PAID", "", 10 * time.Second, nil, []string{"CHANGED PAID"}},
		{"for long", "PAID", "", 2 * time.Minute, []string{"STALE"}, []string{"RECOVERED PAID"}},
		{"at the first event", "", "", 2 * time.Minute, []string{"STALE"}, []string{"SNAPSHOT PENDING"}},
		{"at the last event", "PAID", "PAID", 10 * time.Second, nil, []string{"REACHED PAID"}},
		{"of a settled record", "REFUNDED", "", 10 * time.Second, nil, []string{"CHANGED REFUNDED"}},
	}
	for _, tt := range tests {
		simulate(t, tt.name, live.Config{}, func(t *testing.T, f *fixture) {
			join := func() *client {
				c, _ := f.joinWith(live.Request{
					Token: live.Token{Key: "x"}, Subject: live.Transaction("a"), Until: live.Until{Statuses: []string{tt.until}},
				})
				return c
			}
			var c *client
			if tt.change != "" {
				c = join()
				pass(3 * time.Second)
				c.want(t, "SNAPSHOT PENDING")
				f.runs.fail(nil, errNoMemory)
				f.api.set("a", tt.change)
			} else {
				f.runs.fail(nil, errNoMemory)
				c = join()
			}
			pass(tt.length)
			c.want(t, tt.during...)
			late := join() // must not get the answer before the change
			pass(100 * time.Millisecond)
			late.want(t, "STALE")
			f.runs.fail(nil, nil)
			pass(6 * time.Second)
			c.want(t, tt.after...)
			f.runs.count()
			pass(time.Minute)
			if n := f.runs.count(); n != 0 {
				t.Errorf("%d executions of an unchanged record", n)
			}
		})
	}
}

// TestIncompleteAnswer: an answer that lacks something for now is sent, and computed again after half a minute, not at
// each read.
func TestIncompleteAnswer(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		c, _ := f.join("x", "a")
		pass(time.Second)
		c.want(t, "SNAPSHOT PENDING")
		f.runs.fail([]byte("PARTLY"), errNoMemory)
		f.api.set("a", "PROCESSING")
		f.runs.count()
		pass(20 * time.Second)
		c.want(t, "CHANGED PARTLY")
		pass(time.Minute)
		if n := f.runs.count(); n < 2 || n > 4 {
			t.Errorf("%d executions in 80 s", n)
		}
		f.runs.fail(nil, nil)
		pass(32 * time.Second)
		c.want(t, "CHANGED PROCESSING")
		f.runs.count()
		pass(time.Minute)
		if n := f.runs.count(); n != 0 {
			t.Errorf("%d executions of a complete answer", n)
		}
	})
}

// TestLeavingDuringExecution: the last stream of a record leaves while its answer is computed, which then fails. Other
// streams begin, and get events.
func TestLeavingDuringExecution(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		executing, fail := make(chan struct{}), make(chan struct{})
		s, err := f.Join(live.Request{
			Token: live.Token{Key: "x"}, Subject: live.Transaction("a"), Sink: &client{},
			Execute: func(context.Context, *live.Reading) ([]byte, error) {
				close(executing)
				<-fail
				return nil, errNoMemory
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		<-executing
		s.Close()
		close(fail)
		pass(time.Second)
		other, _ := f.join("y", "a")
		pass(time.Second)
		other.want(t, "SNAPSHOT PENDING")
	})
}

// joinFailing begins a stream whose answer cannot be computed while broken is set.
func (f *fixture) joinFailing(token, id string, broken *atomic.Bool) *client {
	c := &client{}
	_, err := f.Join(live.Request{
		Token: live.Token{Key: token, Caller: token}, Subject: live.Transaction(id), Sink: c,
		Execute: func(_ context.Context, r *live.Reading) ([]byte, error) {
			if broken.Load() {
				return nil, errNoMemory
			}
			return []byte(r.Record.(string)), nil
		},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

// TestExecutionRecoversForManyTokens: the answers of all tokens of a record cannot be computed for a while, and all
// streams are current soon afterwards, as after an outage of its API.
func TestExecutionRecoversForManyTokens(t *testing.T) {
	for _, status := range []string{"PROCESSING", "PAID"} {
		simulate(t, status, live.Config{}, func(t *testing.T, f *fixture) {
			var broken atomic.Bool
			var clients []*client
			for i := range 40 {
				clients = append(clients, f.joinFailing(fmt.Sprint("t", i), "a", &broken))
			}
			pass(5 * time.Second)
			broken.Store(true)
			f.api.set("a", status)
			pass(2 * time.Minute)
			broken.Store(false)
			pass(10 * time.Second)
			late := 0
			for _, c := range clients {
				c.mu.Lock()
				if last := c.events[len(c.events)-1]; last.Reason != live.Recovered {
					late++
				}
				c.mu.Unlock()
			}
			if late > 0 {
				t.Errorf("%d of %d streams are not current 10 s after executions succeed again", late, len(clients))
			}
		})
	}
}

// TestExecutionFailsAmongMany: a token whose answer cannot be computed is tried again soon, however many other tokens
// watch the record.
func TestExecutionFailsAmongMany(t *testing.T) {
	for _, status := range []string{"PROCESSING", "PAID"} {
		simulate(t, status, live.Config{}, func(t *testing.T, f *fixture) {
			var broken, fine atomic.Bool
			c := f.joinFailing("y", "a", &broken)
			for i := range 60 {
				f.joinFailing(fmt.Sprint("t", i), "a", &fine)
			}
			pass(5 * time.Second)
			broken.Store(true)
			f.api.set("a", status)
			pass(10 * time.Second)
			f.api.readsByToken()
			broken.Store(false)
			pass(6 * time.Second)
			c.want(t, "SNAPSHOT PENDING", "CHANGED "+status)
		})
	}
}
