package live_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

// TestFairBudget: callers whose records exceed the budget do not slow the reads of a caller that needs little, also not
// of a record that they watch too. They share what it leaves.
func TestFairBudget(t *testing.T) {
	const greedy, each, polls, seconds = 5, 100, 50, 40
	simulate(t, "", live.Config{Polls: polls}, func(t *testing.T, f *fixture) {
		for i := range greedy {
			caller := fmt.Sprint("greedy", i)
			f.joinAs(caller, "shared")
			for _, id := range names(each)[i*each/greedy:] { // each has a different number of records
				f.joinAs(caller, id)
			}
		}
		pass(20 * time.Second)
		f.joinAs("modest", "own")
		shared := f.joinAs("modest", "shared")
		pass(20 * time.Second)
		f.api.count()
		f.api.readsByToken()
		pass(seconds * time.Second)
		f.wantReads(0, polls*seconds*11/10, "in %d s with a budget of %d per second", seconds, polls)
		if n := f.api.readsByToken()["modest"]; n < seconds*9/10 {
			t.Errorf("%d reads of two records of a caller that needs little, in %d s", n, seconds)
		}
		f.api.set("shared", "PAID")
		pass(1300 * time.Millisecond)
		shared.want(t, "SNAPSHOT PENDING", "CHANGED PAID")
	})
}

// TestBudget: when the records of a caller would exceed the budget, all are read more rarely, by the same factor.
func TestBudget(t *testing.T) {
	simulate(t, "", live.Config{Polls: 50}, func(t *testing.T, f *fixture) {
		var last *client
		for _, id := range names(200) {
			last, _ = f.join("x", id)
		}
		pass(5 * time.Second)
		f.wantReadsIn(20*time.Second, 800, 1100, "in 20 s with a budget of 50 per second")
		last.mu.Lock()
		defer last.mu.Unlock()
		if next := last.events[0].Next; next < 3*time.Second || next > 5*time.Second {
			t.Errorf("the next read is announced in %s", next)
		}
	})
}

// TestFailingTokenInShortBudget: a token that fails in a short budget does not make the reads of the others much rarer.
func TestFailingTokenInShortBudget(t *testing.T) {
	reads := map[bool]int{}
	for _, fails := range []bool{false, true} {
		const records, polls = 150, 5
		simulate(t, "", live.Config{Polls: polls, StreamsPerCaller: 2000, Lifetime: 5 * time.Hour}, func(_ *testing.T, f *fixture) {
			for _, id := range names(records) {
				f.api.set(id, "PAID")
				for _, token := range []string{"x", "y"} {
					f.joinAs(token, id)
				}
			}
			pass(20 * time.Minute)
			if fails {
				f.api.fail("y", errUnavailable)
			}
			pass(20 * time.Minute)
			f.api.readsByToken()
			pass(20 * time.Minute)
			n := f.api.readsByToken()
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

// TestPollsAfterManyJoins: records whose streams begin at once are soon read as often as the budget allows, although it
// was short while they were new.
func TestPollsAfterManyJoins(t *testing.T) {
	const records, polls = 600, 25 // settled, they demand 20 reads per second
	simulate(t, "", live.Config{Polls: polls}, func(_ *testing.T, f *fixture) {
		for _, id := range names(records) {
			f.api.set(id, "PAID")
		}
		f.joinRecords("x", records)
		pass(40 * time.Second)
		f.wantReadsIn(time.Minute, records, 2*60*polls, "of %d settled records in a minute", records)
	})
}

// TestRetriesCountForBudget: reads of tokens that fail and of others together stay within the budget, and the callers
// of both get a fair share of it.
func TestRetriesCountForBudget(t *testing.T) {
	for status, polls := range map[string]int{"PENDING": 20, "PAID": 2} {
		const records, seconds = 100, 600
		simulate(t, "", live.Config{Polls: polls, Lifetime: time.Hour}, func(t *testing.T, f *fixture) {
			for _, id := range names(records) {
				f.api.set(id, status)
				for _, token := range []string{"x", "y", "z"} {
					f.joinAs(token, id)
				}
			}
			pass(2 * time.Minute)
			f.api.fail("y", errUnavailable)
			f.api.fail("z", errUnavailable)
			pass(15 * time.Minute) // the records are quiet, so their intervals do not become longer
			f.api.readsByToken()
			pass(seconds * time.Second)
			reads := f.api.readsByToken()
			if all := reads["x"] + reads["y"] + reads["z"]; all > polls*seconds*11/10 {
				t.Errorf("%s: %v reads with a budget of %d", status, reads, polls*seconds)
			}
			for token, n := range reads {
				low := polls * seconds / 4
				if token != "x" {
					low = min(low, records*seconds/35) // they back off
				}
				if n < low {
					t.Errorf("%s: %d reads of %s with a budget of %d", status, n, token, polls*seconds)
				}
			}
		})
	}
}

// TestUnsteadyTokensInShortBudget: tokens that fail and recover all the time do not make their records exceed the
// budget, although a token that fails or recovers lets another one read.
func TestUnsteadyTokensInShortBudget(t *testing.T) {
	const records, tokens, polls, minutes = 30, 10, 6, 20
	simulate(t, "", live.Config{Polls: polls, Lifetime: time.Hour}, func(_ *testing.T, f *fixture) {
		for _, id := range names(records) {
			for token := range tokens {
				key := fmt.Sprint("t", token)
				f.joinAs(key, id)
			}
		}
		pass(15 * time.Minute)
		random := rand.New(rand.NewPCG(1, 1))
		f.api.count()
		for range 6 * minutes {
			for token := range tokens {
				var err *upstream.Error
				if random.IntN(2) == 0 {
					err = errUnavailable
				}
				f.api.fail(fmt.Sprint("t", token), err)
			}
			pass(10 * time.Second)
		}
		f.wantReads(polls*minutes*60*8/10, polls*minutes*60*11/10, "with a budget of %d", polls*minutes*60)
	})
}
