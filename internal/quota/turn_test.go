package quota

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// take takes a turn that must be free.
func (t *Turns) take(test *testing.T, caller string) *Turn {
	test.Helper()
	turn, err := t.Take(test.Context(), caller, time.Nanosecond)
	if err != nil {
		test.Fatal(err)
	}
	return turn
}

// TestTurns: a caller has three of four turns, another one the last. A turn of an operation that waits goes to the next
// one, and comes back when that ends.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(4, DefaultPiece)
		own := []*Turn{turns.take(t, "a"), turns.take(t, "a"), turns.take(t, "a")}
		if _, err := turns.Take(t.Context(), "a", time.Second); err == nil {
			t.Error("a caller has all turns")
		}
		other := turns.take(t, "b")
		own[0].Pause()
		next := turns.take(t, "a")
		resumed := make(chan struct{})
		go func() {
			own[0].Resume(t.Context())
			close(resumed)
		}()
		synctest.Wait()
		select {
		case <-resumed:
			t.Error("a fifth operation computes")
		default:
		}
		next.End()
		<-resumed
		for _, turn := range append(own, other) {
			turn.End()
		}
		if held, waiting := turns.queue.Size(); held != 0 || waiting != 0 || len(turns.held) != 0 {
			t.Errorf("%d held, %d wait, %d entries", held, waiting, len(turns.held))
		}
	})
}

// TestTurnOfGoroutines: the goroutines of an operation share its turn, whether they wait for it, or one of them waits
// while others compute. After the end of the operation they need none.
func TestTurnOfGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1, DefaultPiece)
		turn := turns.take(t, "a")
		var calls sync.WaitGroup
		for range 10 {
			turn.Pause()
		}
		other := turns.take(t, "b")
		for range 9 {
			calls.Go(func() { turn.Resume(t.Context()) })
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		turn.Resume(cancelled)
		synctest.Wait()
		other.End()
		calls.Wait()
		if !turn.held.Load() {
			t.Error("no turn after the calls")
		}
		turn.Pause()
		turn.End()
		turn.Resume(t.Context())
		turns.take(t, "b").End()
		if held, waiting := turns.queue.Size(); held != 0 || waiting != 0 || len(turns.held) != 0 {
			t.Errorf("%d held, %d wait, %d entries", held, waiting, len(turns.held))
		}
	})
}

// TestTurnTakenAgain: a turn that an operation has taken again, while another of its goroutines waited, is free when
// all of them wait.
func TestTurnTakenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1, DefaultPiece)
		a := turns.take(t, "a")
		a.Pause()
		b := turns.take(t, "b")
		ensured, got := make(chan struct{}), make(chan *Turn, 1)
		go func() { a.Ensure(t.Context()); close(ensured) }()
		synctest.Wait()
		go func() {
			c, err := turns.Take(t.Context(), "c", time.Second)
			if err != nil {
				t.Error(err)
			}
			got <- c
		}()
		synctest.Wait()
		b.End()
		<-ensured
		a.Pause()
		(<-got).End()
		a.End()
	})
}

// TestEndedTurn: an operation that waits for its client after its turn has ended does not take the turn again.
func TestEndedTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1, DefaultPiece)
		ended := turns.take(t, "a")
		ended.End()
		defer turns.take(t, "b").End()
		ended.Pause()
		ended.Resume(t.Context()) // would wait for the other turn
	})
}

// TestStep: an operation that computes long gives up its turn after a piece if another caller waits, and continues when
// it has it again. It does not for operations of its own caller.
func TestStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, began := NewTurns(1, DefaultPiece), time.Now()
		var ended sync.WaitGroup
		compute := func(caller string, pieces int, want time.Duration) {
			turn, err := turns.Take(t.Context(), caller, 0)
			if err != nil {
				t.Error(err)
				return
			}
			for range pieces {
				time.Sleep(DefaultPiece) // it computes
				turn.Step(t.Context())
			}
			turn.End()
			if took := time.Since(began); took != want*DefaultPiece {
				t.Errorf("%s: ended after %v, want %d pieces", caller, took, want)
			}
		}
		start := func(caller string, pieces int, want time.Duration) {
			ended.Go(func() { compute(caller, pieces, want) })
			synctest.Wait()
		}
		start("a", 4, 4)
		start("a", 1, 5)
		ended.Wait()
		began = time.Now()
		start("a", 4, 6)
		start("b", 2, 5) // it gives up its turn before its end, too
		ended.Wait()
	})
}
