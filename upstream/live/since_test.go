package live_test

import (
	"testing"
	"time"

	"pixgraph/upstream/live"
)

// TestUnknownDates: entries of the history whose date is not a time count as soon as they are known to be new, and not
// before: the stream neither waits for ever nor ends too early.
func TestUnknownDates(t *testing.T) {
	for name, since := range map[string]time.Duration{"with since": time.Hour, "without": 0} {
		simulate(t, name, live.Config{}, func(t *testing.T, f *fixture) {
			until := live.Until{Statuses: []string{"PAID"}}
			if since > 0 {
				until.Since = time.Now().Add(-since)
			}
			f.api.setAt("a", "PAID", time.Time{})
			f.api.set("a", "REFUNDED")
			c, _ := f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: transaction("a"), Until: until})
			pass(time.Second)
			c.want(t, "SNAPSHOT REFUNDED")
			f.api.setAt("a", "PAID", time.Time{})
			f.api.set("a", "BLOCKED")
			pass(time.Minute)
			c.want(t, "REACHED BLOCKED")
		})
	}
}
