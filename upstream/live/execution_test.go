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
					Token: live.Token{Key: "x"}, Subject: transaction("a"), Until: live.Until{Statuses: []string{tt.until}},
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
		_, s := f.joinWith(live.Request{
			Token: live.Token{Key: "x"}, Subject: transaction("a"),
			Execute: func(context.Context, *live.Reading) ([]byte, error) {
				close(executing)
				<-fail
				return nil, errNoMemory
			},
		})
		<-executing
		s.Close()
		close(fail)
		pass(time.Second)
		other, _ := f.join("y", "a")
		pass(time.Second)
		other.want(t, "SNAPSHOT PENDING")
	})
}

// TestExecutionRecovers: streams are current soon after their answers can be computed again, whether those of all
// tokens of a record failed, or of one among many.
func TestExecutionRecovers(t *testing.T) {
	for name, tt := range map[string]struct {
		failing, others int // tokens
		outage, within  time.Duration
		events          []string // before the status
	}{
		"all of many": {40, 0, 2 * time.Minute, 10 * time.Second, []string{"SNAPSHOT PENDING", "STALE", "RECOVERED "}},
		"one of many": {1, 60, 10 * time.Second, 6 * time.Second, []string{"SNAPSHOT PENDING", "CHANGED "}},
	} {
		for _, status := range []string{"PROCESSING", "PAID"} {
			simulate(t, name+" "+status, live.Config{}, func(t *testing.T, f *fixture) {
				var broken atomic.Bool
				var clients []*client
				for i := range tt.failing {
					key := fmt.Sprint("y", i)
					c, _ := f.joinWith(live.Request{
						Token: live.Token{Key: key, Caller: key}, Subject: transaction("a"),
						Execute: func(_ context.Context, r *live.Reading) ([]byte, error) {
							if broken.Load() {
								return nil, errNoMemory
							}
							return []byte(r.Record.(string)), nil
						},
					})
					clients = append(clients, c)
				}
				for i := range tt.others {
					f.joinAs(fmt.Sprint("t", i), "a")
				}
				pass(5 * time.Second)
				broken.Store(true)
				f.api.set("a", status)
				pass(tt.outage)
				broken.Store(false)
				pass(tt.within)
				last := len(tt.events) - 1
				wantAll(t, clients, append(tt.events[:last:last], tt.events[last]+status)...)
			})
		}
	}
}
