package client

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// wait has callers join a queue whose turns are taken, one after the other, and returns what became of each, in the order
// of their turns.
func (q *queue) wait(ctx context.Context, callers ...string) <-chan turn {
	turns := make(chan turn, len(callers))
	for i, caller := range callers {
		go func() {
			err := q.take(ctx, caller, time.Now().Add(time.Minute))
			turns <- turn{caller, i, err}
		}()
		synctest.Wait()
	}
	return turns
}

// turn is that of the nth who joined.
type turn struct {
	caller string
	nth    int
	err    error
}

func TestLinesTakeTurns(t *testing.T) {
	tests := []struct {
		name    string
		callers []string
		want    []int
	}{
		{"one caller, first come first served", []string{"a", "a", "a"}, []int{0, 1, 2}},
		{"few calls do not wait behind many", []string{"a", "a", "a", "b"}, []int{0, 3, 1, 2}},
		{"three callers", []string{"a", "a", "b", "b", "c", "a"}, []int{0, 2, 4, 1, 3, 5}},
		{"those who are not known are one caller", []string{"", "", "a", ""}, []int{0, 2, 1, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := &queue{most: 1, longest: 10}
				if err := q.take(t.Context(), "first", time.Now()); err != nil {
					t.Fatal(err)
				}
				turns := q.wait(t.Context(), tt.callers...)
				var got []int
				for range tt.callers {
					q.leave()
					next := <-turns
					if next.err != nil {
						t.Fatal(next.err)
					}
					got = append(got, next.nth)
				}
				q.leave()
				if !slices.Equal(got, tt.want) {
					t.Errorf("served in the order %v, want %v", got, tt.want)
				}
				if busy, waiting := q.stand(); busy != 0 || waiting != 0 {
					t.Errorf("at the end %d are busy, %d wait", busy, waiting)
				}
			})
		})
	}
}

// A queue that is full refuses whoever waits with most calls.
func TestFullQueue(t *testing.T) {
	tests := []struct {
		name    string
		callers []string
		refused []int
	}{
		{"one caller", []string{"a", "a", "a", "a", "a"}, []int{3, 4}},
		{"a newcomer takes the place of the last of the longest line", []string{"a", "a", "a", "b"}, []int{2}},
		{"and again, until their lines are even", []string{"a", "a", "a", "b", "b"}, []int{2, 4}},
		{"one each", []string{"a", "b", "c", "d"}, []int{3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := &queue{most: 1, longest: 3}
				_ = q.take(t.Context(), "first", time.Now())
				turns := q.wait(t.Context(), tt.callers...)
				var refused []int
				for range tt.refused {
					got := <-turns
					if !errors.Is(got.err, errQueueFull) {
						t.Fatalf("%d: %v", got.nth, got.err)
					}
					refused = append(refused, got.nth)
				}
				if !slices.Equal(refused, tt.refused) {
					t.Errorf("refused %v, want %v", refused, tt.refused)
				}
				if _, waiting := q.stand(); waiting != 3 {
					t.Errorf("%d wait, want 3", waiting)
				}
				if n := q.dismiss(errOpen); n != 3 {
					t.Errorf("%d were sent away", n)
				}
				for range 3 {
					if got := <-turns; !errors.Is(got.err, errOpen) {
						t.Errorf("%d: %v", got.nth, got.err)
					}
				}
				q.leave()
				if busy, waiting := q.stand(); busy != 0 || waiting != 0 {
					t.Errorf("%d busy, %d waiting", busy, waiting)
				}
			})
		})
	}
}

// Who gives up leaves no trace, and those behind move up.
func TestGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{most: 1, longest: 3}
		_ = q.take(t.Context(), "first", time.Now())
		ctx, cancel := context.WithCancel(t.Context())
		gone := q.wait(ctx, "a", "b")
		stay := q.wait(t.Context(), "a")
		cancel()
		for range 2 {
			if got := <-gone; !errors.Is(got.err, context.Canceled) {
				t.Errorf("%v", got.err)
			}
		}
		if _, waiting := q.stand(); waiting != 1 || len(q.lines) != 1 {
			t.Errorf("%d wait in %d lines", waiting, len(q.lines))
		}
		if err := q.take(t.Context(), "late", time.Now().Add(time.Second)); !errors.Is(err, errNoTurn) {
			t.Errorf("at the deadline: %v", err)
		}
		q.leave()
		if got := <-stay; got.err != nil {
			t.Error(got.err)
		}
		q.leave()
		if busy, waiting := q.stand(); busy != 0 || waiting != 0 {
			t.Errorf("%d busy, %d waiting", busy, waiting)
		}
	})
}

// With one caller asking fifty times as much as another, over and over, the other gets every turn that it asks for.
func TestFiftyfoldCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const few, many, rounds = 2, 100, 50
		q := &queue{most: 4, longest: 16}
		var mu sync.Mutex
		asked, served := map[string]int{}, map[string]int{}
		var callers sync.WaitGroup
		for i := range few + many {
			caller := "many"
			if i < few {
				caller = "few"
			}
			callers.Go(func() {
				for range rounds {
					err := q.take(t.Context(), caller, time.Now().Add(time.Minute))
					mu.Lock()
					asked[caller]++
					if err == nil {
						served[caller]++
					}
					mu.Unlock()
					time.Sleep(time.Millisecond) // of the bubble: a call, or a pause before the next attempt
					if err == nil {
						q.leave()
					}
				}
			})
		}
		callers.Wait()
		if served["few"] != few*rounds || asked["many"] != many*rounds {
			t.Errorf("the small caller was served %d of %d times", served["few"], asked["few"])
		}
		if served["many"] >= asked["many"] {
			t.Error("nothing was shed: the test shows nothing")
		}
	})
}
