package live_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/live"
)

// TestSlowReadsOfOneCaller: a caller whose reads are slow does not delay those of others, however many they are.
func TestSlowReadsOfOneCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const records = 900
		ids := []string{"a"}
		for i := range records {
			ids = append(ids, fmt.Sprint("r", i))
		}
		f := start(t, live.Config{}, ids...)
		f.api.slowFor["slow"] = 10 * time.Second
		c, _ := f.joinWith(live.Request{Token: live.Token{Key: "x", Caller: "x"}, Subject: live.Transaction("a")})
		for _, id := range ids[1:] {
			f.joinWith(live.Request{Token: live.Token{Key: "slow", Caller: "slow"}, Subject: live.Transaction(id)})
		}
		pass(time.Minute)
		c.want(t, "SNAPSHOT PENDING")
		f.api.set("a", "PAID")
		pass(1500 * time.Millisecond)
		c.want(t, "CHANGED PAID")
	})
}
