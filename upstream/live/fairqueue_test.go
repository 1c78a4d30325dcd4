package live_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream/live"
)

// TestSlowReadsOfOneCaller: a caller whose reads are slow does not delay those of others, however many they are.
func TestSlowReadsOfOneCaller(t *testing.T) {
	const records = 900
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		f.api.slowFor["slow"] = 10 * time.Second
		c := f.joinAs("x", "a")
		for _, id := range names(records) {
			f.joinAs("slow", id)
		}
		pass(time.Minute)
		c.want(t, "SNAPSHOT PENDING")
		f.api.set("a", "PAID")
		pass(1500 * time.Millisecond)
		c.want(t, "CHANGED PAID")
	})
}

// TestFirstReadsComeFirst: a new stream gets its first event at once, although more reads are due than the API answers.
func TestFirstReadsComeFirst(t *testing.T) {
	simulate(t, "", live.Config{Workers: 1}, func(t *testing.T, f *fixture) {
		f.api.slow(100 * time.Millisecond)
		f.joinRecords("x", 50) // 50 reads a second are due, and 10 are made
		pass(20 * time.Second)
		c, _ := f.join("x", "a")
		pass(300 * time.Millisecond)
		c.want(t, "SNAPSHOT PENDING")
	})
}

// TestLeavingWhileQueued: streams that leave before their records were read hold no memory, even if the reads of others
// are slow.
func TestLeavingWhileQueued(t *testing.T) {
	const streams, size = 2000, 16 << 10
	simulate(t, "", live.Config{Workers: 1}, func(t *testing.T, f *fixture) {
		f.api.slow(20 * time.Minute)
		f.join("x", "a")
		pass(time.Second)
		held := func() int64 {
			var stats runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&stats)
			return int64(stats.HeapAlloc)
		}
		before := held()
		for range streams {
			token := live.Token{Key: "y", Bearer: strings.Repeat("y", size)}
			_, s := f.joinWith(live.Request{Token: token, Subject: transaction("b")})
			s.Close()
		}
		pass(time.Second)
		if more := held() - before; more > streams*size/4 {
			t.Errorf("%d bytes held after %d streams with a token of %d bytes each", more, streams, size)
		}
		last, _ := f.join("y", "a")
		f.api.slow(time.Millisecond)
		pass(25 * time.Minute)
		last.want(t, "SNAPSHOT PENDING")
	})
}
