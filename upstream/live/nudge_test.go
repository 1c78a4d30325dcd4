package live_test

import (
	"fmt"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/live"
	"pixgraph/upstream/wire"
)

// TestNudges: a nudge or a newer record in a query causes one read, at most one in 250 ms.
func TestNudges(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		f.api.set("a", "PAID") // settled: read each 30 s
		c, _ := f.join("x", "a")
		pass(3 * time.Second)
		f.api.set("a", "REFUNDED")
		f.api.count()
		for range 1000 {
			f.Nudge("a")
			f.Nudge("b")
		}
		pass(50 * time.Millisecond)
		c.want(t, "SNAPSHOT PAID", "CHANGED REFUNDED")
		f.Nudge("a")
		pass(time.Second)
		f.wantReads(2, 2, "for two bursts of nudges")
		f.seen("a", time.Now().Add(-time.Hour))
		pass(time.Second)
		f.wantReads(0, 0, "for an older record")
		f.api.set("a", "PAID")
		f.seen("a", time.Now())
		pass(50 * time.Millisecond)
		c.want(t, "CHANGED PAID")
	})
}

// seen is a query that reads a record.
func (f *fixture) seen(id string, updated time.Time) {
	value, err := wire.Index(fmt.Appendf(nil, `{"updatedAt":%q}`, updated.Format(time.RFC3339Nano)))
	if err != nil {
		f.t.Fatal(err)
	}
	record, err := upstream.ReadRecord[upstream.Transaction](upstream.Core, value)
	if err != nil {
		f.t.Fatal(err)
	}
	live.SeenRecord(f.Engine, "transaction", id, record)
}

// TestNudgesOfManyRecords: all nudges together cause at most 1,000 reads in a second. The rest is dropped.
func TestNudgesOfManyRecords(t *testing.T) {
	const records, limit = 1200, 1000
	simulate(t, "", live.Config{StreamsPerCaller: records, Interval: time.Hour}, func(_ *testing.T, f *fixture) {
		for _, id := range names(records) {
			f.join("x", id)
		}
		pass(time.Minute)
		for range 3 {
			f.api.count()
			for _, id := range names(records) {
				f.Nudge(id)
			}
			pass(time.Second)
			f.wantReads(limit, limit, "for %d nudges", records)
		}
	})
}

// TestChangesInQuickSuccession: a change that the second token sees when it reads because of the first one reaches all
// tokens soon, although the record is settled then.
func TestChangesInQuickSuccession(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		clients := f.joinTokens(3, "a")
		pass(5 * time.Second)
		f.api.set("a", "PROCESSING")
		for f.Stats().Events[live.Changed] == 0 {
			time.Sleep(time.Millisecond)
		}
		f.api.set("a", "PAID") // the other tokens have not read yet
		pass(100 * time.Millisecond)
		for _, c := range clients {
			c.wantLast(t, "PAID")
		}
		if n := f.Stats().Events[live.Changed]; n != 4 {
			t.Errorf("%d changes, want two for the token that read first, and one for each other", n)
		}
	})
}

// TestNudgeDuringRead: a nudge that arrives too soon after another one is not lost when the read of the first one ends
// with a change.
func TestNudgeDuringRead(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		f.api.set("a", "PROCESSING_REFUND") // read each 5 s
		f.api.slow(100 * time.Millisecond)
		c, _ := f.join("x", "a")
		pass(time.Second)
		c.want(t, "SNAPSHOT PROCESSING_REFUND")
		f.api.set("a", "REFUNDED") // read each 30 s
		f.Nudge("a")
		pass(50 * time.Millisecond)
		f.Nudge("a")
		pass(100 * time.Millisecond)
		c.want(t, "CHANGED REFUNDED")
		f.api.set("a", "PAID")
		pass(300 * time.Millisecond)
		c.want(t, "CHANGED PAID")
	})
}
