package fleet

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestHintOnce: a hint is sent once, and again after 250 ms at the earliest.
func TestHintOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, err := Open(Config{URL: "redis://127.0.0.1:1"})
		if err != nil {
			t.Fatal(err)
		}
		f.state.away.Store(false)
		f.Hint(Hint{1})
		f.Hint(Hint{1})
		now := time.Now()
		if message, more := f.hints.next(now); len(message) != senderSize+len(Hint{}) || more {
			t.Errorf("%x, %v", message, more)
		}
		f.Hint(Hint{1})
		if message, more := f.hints.next(now.Add(hintEvery / 2)); message != nil || !more {
			t.Errorf("too early: %x, %v", message, more)
		}
		if message, more := f.hints.next(now.Add(hintEvery)); len(message) != senderSize+len(Hint{}) || more {
			t.Errorf("%x, %v", message, more)
		}
		if f.hints.next(now.Add(3 * hintEvery)); len(f.hints.known) != 0 {
			t.Errorf("%d hints are remembered", len(f.hints.known))
		}
	})
}
