package quota

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// enqueueAll makes callers wait in a queue, one after the other, and returns the results in the order in which they
// arrive.
func (q *Queue) enqueueAll(ctx context.Context, callers ...string) <-chan result {
	results := make(chan result, len(callers))
	for i, caller := range callers {
		go func() {
			err := q.Acquire(ctx, caller, time.Now().Add(time.Minute))
			results <- result{i, err}
		}()
		synctest.Wait()
	}
	return results
}

// result is that of the nth waiter, from 0.
type result struct {
	nth int
	err error
}

func TestLinesTakeTurns(t *testing.T) {
	tests := []struct {
		name    string
		callers []string
		want    []int
	}{
		{"one caller, in order of arrival", []string{"a", "a", "a"}, []int{0, 1, 2}},
		{"a caller with one call does not wait behind one with many", []string{"a", "a", "a", "b"}, []int{0, 3, 1, 2}},
		{"three callers", []string{"a", "a", "b", "b", "c", "a"}, []int{0, 2, 4, 1, 3, 5}},
		{"unknown callers share a line", []string{"", "", "a", ""}, []int{0, 2, 1, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := NewQueue(1, 10)
				if err := q.Acquire(t.Context(), "first", time.Now()); err != nil {
					t.Fatal(err)
				}
				results := q.enqueueAll(t.Context(), tt.callers...)
				var got []int
				holder := "first"
				for range tt.callers {
					q.Release(holder)
					next := <-results
					if next.err != nil {
						t.Fatal(next.err)
					}
					got, holder = append(got, next.nth), tt.callers[next.nth]
				}
				q.Release(holder)
				if !slices.Equal(got, tt.want) {
					t.Errorf("served in the order %v, want %v", got, tt.want)
				}
				if inFlight, waiting := q.Size(); inFlight != 0 || waiting != 0 {
					t.Errorf("at the end %d are in flight, %d wait", inFlight, waiting)
				}
			})
		})
	}
}

var errRejected = errors.New("rejected")

// TestFullQueue: a full queue rejects calls of the caller with the most waiting calls.
func TestFullQueue(t *testing.T) {
	tests := []struct {
		name     string
		callers  []string
		rejected []int
	}{
		{"one caller", []string{"a", "a", "a", "a", "a"}, []int{3, 4}},
		{"a new caller displaces the last waiter of the longest line", []string{"a", "a", "a", "b"}, []int{2}},
		{"until the lines are equally long", []string{"a", "a", "a", "b", "b"}, []int{2, 4}},
		{"one each", []string{"a", "b", "c", "d"}, []int{3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := NewQueue(1, 3)
				_ = q.Acquire(t.Context(), "first", time.Now())
				results := q.enqueueAll(t.Context(), tt.callers...)
				var rejected []int
				for range tt.rejected {
					got := <-results
					if !errors.Is(got.err, ErrQueueFull) {
						t.Fatalf("%d: %v", got.nth, got.err)
					}
					rejected = append(rejected, got.nth)
				}
				if !slices.Equal(rejected, tt.rejected) {
					t.Errorf("rejected %v, want %v", rejected, tt.rejected)
				}
				if _, waiting := q.Size(); waiting != 3 {
					t.Errorf("%d wait, want 3", waiting)
				}
				q.RejectAll(errRejected)
				for range 3 {
					if got := <-results; !errors.Is(got.err, errRejected) {
						t.Errorf("%d: %v", got.nth, got.err)
					}
				}
				q.Release("first")
				if inFlight, waiting := q.Size(); inFlight != 0 || waiting != 0 {
					t.Errorf("%d in flight, %d waiting", inFlight, waiting)
				}
			})
		})
	}
}

// TestCancelledWaiters: a waiter that is cancelled or times out is removed, and the next ones move up.
func TestCancelledWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(1, 3)
		_ = q.Acquire(t.Context(), "first", time.Now())
		ctx, cancel := context.WithCancel(t.Context())
		cancelled := q.enqueueAll(ctx, "a", "b")
		remaining := q.enqueueAll(t.Context(), "a")
		cancel()
		for range 2 {
			if got := <-cancelled; !errors.Is(got.err, context.Canceled) {
				t.Errorf("%v", got.err)
			}
		}
		if _, waiting := q.Size(); waiting != 1 || len(q.lines.turns) != 1 || len(q.lines.byCaller) != 1 {
			t.Errorf("%d wait in %d lines", waiting, len(q.lines.turns))
		}
		if err := q.Acquire(t.Context(), "late", time.Now().Add(time.Second)); !errors.Is(err, ErrQueueTimeout) {
			t.Errorf("at the deadline: %v", err)
		}
		q.Release("first")
		if got := <-remaining; got.err != nil {
			t.Error(got.err)
		}
		q.Release("a")
		if inFlight, waiting := q.Size(); inFlight != 0 || waiting != 0 {
			t.Errorf("%d in flight, %d waiting", inFlight, waiting)
		}
	})
}

// TestFairnessToSmallCaller: one caller makes fifty times as many calls as another; no call of the other caller is
// rejected.
func TestFairnessToSmallCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const few, many, rounds = 2, 100, 50
		q := NewQueue(4, 16)
		var mu sync.Mutex
		made, served := map[string]int{}, map[string]int{}
		var callers sync.WaitGroup
		for i := range few + many {
			caller := "many"
			if i < few {
				caller = "few"
			}
			callers.Go(func() {
				for range rounds {
					err := q.Acquire(t.Context(), caller, time.Now().Add(time.Minute))
					mu.Lock()
					made[caller]++
					if err == nil {
						served[caller]++
					}
					mu.Unlock()
					time.Sleep(time.Millisecond) // in the time of the bubble: a call, or a pause before the next attempt
					if err == nil {
						q.Release(caller)
					}
				}
			})
		}
		callers.Wait()
		if served["few"] != few*rounds || made["many"] != many*rounds {
			t.Errorf("the small caller was served %d of %d times", served["few"], made["few"])
		}
		if served["many"] >= made["many"] {
			t.Error("no call was rejected: the test shows nothing")
		}
	})
}

// TestShares: a caller that holds its share waits, while one that holds nothing gets a unit at once.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(8, 0)
		results := q.enqueueAll(t.Context(), "a", "a", "a", "a", "a", "a", "a", "a", "a")
		if held, waiting := q.Size(); held != 6 || waiting != 3 {
			t.Errorf("alone a caller holds %d of 8 units, and %d wait, want 6 and 3", held, waiting)
		}
		if err := q.Acquire(t.Context(), "b", time.Now()); err != nil {
			t.Errorf("a caller without units: %v", err)
		}
		for range 9 {
			if got := <-results; got.err != nil {
				t.Error(got.err)
			}
			q.Release("a")
		}
		q.Release("b")
		if held, waiting := q.Size(); held != 0 || waiting != 0 {
			t.Errorf("%d held, %d wait", held, waiting)
		}
	})
}

// TestSlot: an operation that has released its slot gets one as soon as there is one, and before operations that begin.
// It waits no longer than it may.
func TestSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, began, retaken := NewQueue(1, 0), time.Now(), make(chan bool)
		again, _ := q.Slot("a")
		again.Release()
		other, ok := q.Slot("b")
		if !ok {
			t.Fatal("a slot was not released")
		}
		retake := func(ctx context.Context) { retaken <- again.Retake(ctx, time.Second) }
		go retake(t.Context())
		synctest.Wait()
		other.Release()
		if _, ok := q.Slot("c"); ok || !<-retaken || time.Since(began) > 0 {
			t.Errorf("another one has the slot: %v, after %v", ok, time.Since(began))
		}
		again.Release()
		other, _ = q.Slot("b")
		go retake(t.Context())
		if <-retaken || time.Since(began) != time.Second {
			t.Errorf("no slot after %v", time.Since(began))
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		go retake(cancelled)
		if <-retaken {
			t.Error("a slot for a client that has left")
		}
		other.Release()
		if held, refused := q.Used(); held != 0 || refused != 1 {
			t.Errorf("%d held, %d refusals", held, refused)
		}
	})
}
