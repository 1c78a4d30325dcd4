package fleet

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestWaits: no request waits for a stalled server for longer than the documented 5 ms, and a caller whose searches are
// not answered waits for none.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := func([]string) string { return "" }
		f := openScripted(t, "redis://127.0.0.1:6379", &scripted{answers: map[string]func([]string) string{"127.0.0.1:6379": silent}})
		if err := f.link.open(); err != nil {
			t.Fatal(err)
		}
		f.state.away.Store(false)
		waited := 0
		took := func(what string, most time.Duration, call func()) {
			began := time.Now()
			call()
			if d := time.Since(began); d > most {
				t.Errorf("%s took %v", what, d)
			} else if d > 0 {
				waited++
			}
		}
		for i := range byte(100) {
			took("a search", 5*time.Millisecond, func() { f.Document("caller", [32]byte{i}) })
			took("a hint", 0, func() { f.Hint(Hint{i}) })
			took("a registration", 0, func() { f.Register("caller", [32]byte{i}, "{a}") })
		}
		if waited < 10 || waited >= maxReads {
			t.Errorf("%d searches waited", waited)
		}
		took("a search of another caller", 5*time.Millisecond, func() { f.Document("another", [32]byte{}) })
		if waited < 11 {
			t.Error("the searches of one caller stop those of others")
		}
	})
}
