package live_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/live"
)

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

// TestExecutionRecoversForManyTokens: the answers of all tokens of a record cannot be computed for a while, and all streams are current
// soon afterwards, as after an outage of its API.
func TestExecutionRecoversForManyTokens(t *testing.T) {
	for _, status := range []string{"PROCESSING", "PAID"} {
		t.Run(status, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := start(t, live.Config{}, "a")
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
		})
	}
}

// TestExecutionFailsAmongMany: a token whose answer cannot be computed is tried again soon, however many other tokens watch the record.
func TestExecutionFailsAmongMany(t *testing.T) {
	for _, status := range []string{"PROCESSING", "PAID"} {
		t.Run(status, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := start(t, live.Config{}, "a")
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
		})
	}
}
