package live_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

// TestFailingTokenInShortBudget: a token that fails does not make the reads of the others much rarer, if the budget is short.
func TestFailingTokenInShortBudget(t *testing.T) {
	reads := map[bool]int{}
	for _, fails := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			const records, polls = 600, 20
			var ids []string
			for i := range records {
				ids = append(ids, fmt.Sprint("r", i))
			}
			f := start(t, live.Config{Polls: polls, StreamsPerCaller: 2000, Lifetime: 5 * time.Hour}, ids...)
			for _, id := range ids {
				f.api.set(id, "PAID")
				for _, token := range []string{"x", "y"} {
					f.joinWith(live.Request{Token: live.Token{Key: token, Caller: token}, Subject: live.Transaction(id)})
				}
			}
			pass(20 * time.Minute)
			if fails {
				f.api.fail("y", &upstream.Error{Kind: upstream.KindUnavailable, Status: 502})
			}
			pass(20 * time.Minute)
			f.api.readsByToken()
			pass(20 * time.Minute)
			n := f.api.readsByToken()
			t.Log(fails, n)
			reads[fails] = n["x"]
			if !fails {
				reads[fails] += n["y"]
			}
		})
	}
	if reads[true] < reads[false]*7/10 {
		t.Errorf("%d reads of the others of a failing token, %d without a failure", reads[true], reads[false])
	}
}
