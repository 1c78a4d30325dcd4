package live_test

import (
	"fmt"
	"testing"
	"time"

	"pixgraph/upstream/live"
)

// TestPaceOfArrivals: while callers come, the reads of all records stay within the budget and a short burst, first
// reads included. First reads do not wait for those of the streams before them.
func TestPaceOfArrivals(t *testing.T) {
	const polls, callers, each = 50, 18, 15
	simulate(t, "", live.Config{Polls: polls}, func(t *testing.T, f *fixture) {
		var last *client
		for i := range callers {
			for j := range each {
				last = f.joinAs(fmt.Sprint("c", i), fmt.Sprint("r", i, "/", j))
			}
			pass(500 * time.Millisecond)
			if i%2 == 1 {
				f.wantReads(0, polls*5/4+1, "in a second with a budget of %d", polls)
			}
			last.want(t, "SNAPSHOT PENDING")
		}
		f.wantReadsIn(10*time.Second, polls*9, polls*10+polls/4, "in 10 s")
	})
}

// TestPaceOfManyTokens: a change that one token sees makes all others read, within the budget.
func TestPaceOfManyTokens(t *testing.T) {
	const polls, tokens = 100, 500
	simulate(t, "", live.Config{Polls: polls}, func(t *testing.T, f *fixture) {
		clients := f.joinTokens(tokens, "a")
		pass(10 * time.Second)
		f.api.set("a", "PAID")
		f.wantReadsIn(2*time.Second, 0, 2*polls+polls/4+1, "of one record in 2 s")
		pass(5 * time.Second)
		wantAll(t, clients, "SNAPSHOT PENDING", "CHANGED PAID")
	})
}

// TestPollsBesideArrivals: one caller that begins many streams does not stop the reads of another one.
func TestPollsBesideArrivals(t *testing.T) {
	const polls, records = 20, 400
	simulate(t, "", live.Config{Polls: polls}, func(t *testing.T, f *fixture) {
		early := f.joinAs("early", "a")
		pass(3 * time.Second)
		for _, id := range names(records) {
			f.joinAs("late", id)
		}
		pass(2 * time.Second)
		f.api.set("a", "PAID")
		pass(2 * time.Second)
		early.want(t, "SNAPSHOT PENDING", "CHANGED PAID")
	})
}

// TestArrivalsWithInventedTokens: streams whose tokens may be invented have one line for the reads, whatever their
// tokens are. So those of another caller do not wait for all of them.
func TestArrivalsWithInventedTokens(t *testing.T) {
	const polls, tokens = 20, 400
	simulate(t, "", live.Config{Polls: polls}, func(t *testing.T, f *fixture) {
		for _, id := range names(tokens) {
			invented := live.Token{Key: id, Caller: id, Share: func() string { return "common" }}
			f.joinWith(live.Request{Token: invented, Subject: transaction(id)})
		}
		c := f.joinAs("y", "a")
		pass(200 * time.Millisecond)
		c.want(t, "SNAPSHOT PENDING")
	})
}

// TestNudgeInShortBudget: a nudge is followed by a read at once, although more polls are due than the budget allows.
func TestNudgeInShortBudget(t *testing.T) {
	const polls, records = 20, 400
	simulate(t, "", live.Config{Polls: polls}, func(t *testing.T, f *fixture) {
		for _, id := range names(records) {
			f.joinAs("x", id)
		}
		c := f.joinAs("y", "a")
		pass(time.Minute)
		for range 20 { // other records use the budget of polls too
			f.Nudge("r1")
			pass(time.Second)
		}
		f.api.set("a", "PAID")
		f.Nudge("a")
		pass(200 * time.Millisecond)
		c.want(t, "SNAPSHOT PENDING", "CHANGED PAID")
	})
}
