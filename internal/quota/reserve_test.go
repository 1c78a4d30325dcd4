package quota

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestReserve: requests that need more memory than there is run one after the other. One that reserved memory can take
// it, and keeps it while it returns what it took; one that finds none in time is refused.
func TestReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const part, parts = 1 << 20, 4
		memory := newMemory(NewPool(parts*part, part), NewPool(part, 1))
		var running, most atomic.Int32
		var requests sync.WaitGroup
		for range 4 * parts {
			requests.Go(func() {
				a := NewAccount(memory, "a", Limits{})
				defer a.Release()
				if err := a.Reserve(t.Context(), part, 0, time.Minute); err != nil {
					t.Error(err)
				}
				if n := running.Add(1); n > most.Load() {
					most.Store(n)
				}
				time.Sleep(time.Millisecond)
				for range 2 {
					if err := a.Take(part); err != nil {
						t.Error(err)
					}
					a.Return(part)
				}
				running.Add(-1)
				if peak := a.Executed(); peak != part {
					t.Errorf("peak %d", peak)
				}
			})
		}
		requests.Wait()
		if most.Load() < 2 || most.Load() > parts*3/4 {
			t.Errorf("%d requests ran at a time", most.Load())
		}
		for range parts {
			if a := NewAccount(memory, "a", Limits{}); a.Reserve(t.Context(), part, 0, 0) == nil {
				defer a.Release()
			}
		}
		if err := NewAccount(memory, "a", Limits{}).Reserve(t.Context(), part, 0, time.Second); !errors.Is(err, ErrExhausted) {
			t.Errorf("without memory: %v", err)
		}
	})
}

// TestReserveUnknown: of a caller's requests whose need is not known, few begin before one of them has ended. The
// others wait for that, but not long, and reserve as much as it has held. Requests of other callers do not wait.
func TestReserveUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const part = 1 << 20
		memory := newMemory(NewPool(100*part, part), NewPool(part, 1))
		begin := func(caller string) (a *Account, waited time.Duration) {
			began := time.Now()
			a = NewAccount(memory, caller, Limits{})
			t.Cleanup(a.Release)
			if err := a.Reserve(t.Context(), 0, 0, time.Minute); err != nil {
				t.Error(err)
			}
			return a, time.Since(began)
		}
		first, _ := begin("a")
		for range maxUnknown - 1 {
			if _, waited := begin("a"); waited != 0 {
				t.Errorf("one of the first waited %s", waited)
			}
		}
		if _, waited := begin("a"); waited != learnWithin {
			t.Errorf("one more waited %s", waited)
		}
		go func() {
			time.Sleep(learnWithin / 2)
			_ = first.Take(4 * part)
			if peak := first.Executed(); peak != 4*part {
				t.Errorf("peak %d", peak)
			}
		}()
		a, waited := begin("a")
		if waited < learnWithin/2 || waited >= learnWithin {
			t.Errorf("the next one waited %s", waited)
		}
		if a.taken < 5*part {
			t.Errorf("it holds %d bytes", a.taken)
		}
		if b, waited := begin("b"); waited != 0 || b.taken > step {
			t.Errorf("another caller waited %s for %d bytes", waited, b.taken)
		}
	})
}

// TestReserveNextToOthers: a request does not wait long for memory that other callers hold and keep, whatever its
// caller's requests needed before. If its caller holds the memory, one with a known need waits, and one without only
// for a while.
func TestReserveNextToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const part = 1 << 20
		memory := newMemory(NewPool(64*part, part), NewPool(part, 1))
		account := func(caller string) *Account {
			a := NewAccount(memory, caller, Limits{})
			t.Cleanup(a.Release)
			return a
		}
		if err := account("large").Take(48 * part); err != nil {
			t.Fatal(err)
		}
		reserve := func(usual int64, want time.Duration, failure error) *Account {
			a, began := account("small"), time.Now()
			if err := a.Reserve(t.Context(), usual, 0, time.Minute); !errors.Is(err, failure) {
				t.Errorf("%d bytes: %v", usual, err)
			}
			if waited := time.Since(began).Round(learnEvery); waited != want {
				t.Errorf("%d bytes: waited %s, want %s", usual, waited, want)
			}
			return a
		}
		first := reserve(32*part, guessWithin, nil)
		if err := first.Take(5 * part); err != nil {
			t.Error(err)
		}
		if err := first.Take(32 * part); !errors.Is(err, ErrExhausted) {
			t.Errorf("more than there is: %v", err)
		}
		first.Executed()
		reserve(0, 0, nil) // whose need is not known
		memory.Requests.learn("small", 4*part)
		reserve(0, guessWithin, nil)
		reserve(4*part, time.Minute, ErrExhausted)
	})
}

// TestReserveWithBodies: requests whose bodies take the share of their caller run one after the other, since they do
// not wait for each other. What a request holds for its body is not reserved again.
func TestReserveWithBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const body, requests = 1 << 20, 60
		memory := NewMemory(192 << 20)
		var running, received sync.WaitGroup
		received.Add(requests)
		began := time.Now()
		for range requests {
			running.Go(func() {
				a := NewAccount(memory, "a", Limits{})
				defer a.Release()
				if err := errors.Join(a.Receive(body), a.Received()); err != nil {
					t.Error(err)
				}
				received.Done()
				received.Wait()
				if err := a.Reserve(t.Context(), 4*body, 0, time.Minute); err != nil {
					t.Error(err)
				}
				if a.taken > 5*body {
					t.Errorf("%d bytes are reserved", a.taken)
				}
			})
			synctest.Wait()
		}
		running.Wait()
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("the requests waited %s", waited)
		}
		if held, _ := memory.Used(); held != 0 {
			t.Errorf("%d bytes are held at the end", held)
		}
	})
}

// TestReserveLeavesLastEighth: reservations of many callers leave the last eighth to requests that need it now.
func TestReserveLeavesLastEighth(t *testing.T) {
	const part = 1 << 20
	memory := newMemory(NewPool(64*part, part), NewPool(part, 1))
	for n := range 200 {
		a := NewAccount(memory, fmt.Sprint(n), Limits{})
		defer a.Release()
		if err := a.Reserve(t.Context(), part, 0, 0); err != nil && !errors.Is(err, ErrExhausted) {
			t.Fatal(err)
		}
	}
	if held, _ := memory.Used(); held < 48*part || held > 56*part {
		t.Errorf("%d bytes are reserved", held)
	}
	a := NewAccount(memory, "another", Limits{})
	defer a.Release()
	if err := a.Take(part); err != nil {
		t.Error(err)
	}
}

// together runs requests of a caller at the same time. Each reserves bytes, takes as many and holds them for a moment.
// It returns the longest wait for a reservation. No request may fail.
func together(t *testing.T, memory Memory, caller string, requests, bytes int) (longest func() time.Duration) {
	t.Helper()
	var running sync.WaitGroup
	var most atomic.Int64
	for range requests {
		running.Go(func() {
			a, began := NewAccount(memory, caller, Limits{}), time.Now()
			defer a.Release()
			if err := errors.Join(a.Receive(1), a.Received(), a.Reserve(t.Context(), int64(bytes), 0, time.Minute)); err != nil {
				t.Errorf("caller %s: %v", caller, err)
			}
			for waited := int64(time.Since(began)); ; {
				if longest := most.Load(); waited <= longest || most.CompareAndSwap(longest, waited) {
					break
				}
			}
			time.Sleep(10 * time.Millisecond)
			if err := a.Take(bytes); err != nil {
				t.Errorf("caller %s after its reservation: %v", caller, err)
			}
		})
	}
	return func() time.Duration {
		running.Wait()
		return time.Duration(most.Load())
	}
}

// TestReserveOfManyCallers: requests of many callers, which together need far more than there is, wait for each other,
// and none of them fails. A caller with one request waits for a round of the others, and not for all of their requests.
func TestReserveOfManyCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const part = 1 << 20
		memory := newMemory(NewPool(86*part, part), NewPool(part, 1))
		var others []func() time.Duration
		for n := range 20 {
			others = append(others, together(t, memory, fmt.Sprint(n), 50, 3*part))
		}
		synctest.Wait()
		one := together(t, memory, "one", 1, 3*part)
		if waited := one(); waited > 30*time.Millisecond {
			t.Errorf("a caller with one request waited %s", waited)
		}
		for n, longest := range others {
			if waited := longest(); waited > time.Second {
				t.Errorf("caller %d waited %s", n, waited)
			}
		}
		if held, refused := memory.Requests.Used(); held != 0 || refused != 0 {
			t.Errorf("%d bytes held, %d refusals", held, refused)
		}
	})
}

// TestReserveMuchNextToMany: a caller that needs much gets it although others take each piece that becomes free.
func TestReserveMuchNextToMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const part = 1 << 20
		memory := newMemory(NewPool(64*part, part), NewPool(part, 1))
		a, b := together(t, memory, "a", 500, 2*part), together(t, memory, "b", 500, 2*part)
		synctest.Wait()
		if waited := together(t, memory, "much", 1, 10*part)(); waited > 30*time.Millisecond {
			t.Errorf("it waited %s", waited)
		}
		a()
		b()
	})
}

// TestReserveAtRandom: whatever requests need, and whenever their clients leave, nothing is held at the end, nobody
// waits for longer than allowed, and no caller holds more than its share.
func TestReserveAtRandom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const part, within = 1 << 20, 5 * time.Second
		memory := newMemory(NewPool(64*part, part), NewPool(part, 1))
		var running sync.WaitGroup
		for n := range 400 {
			running.Go(func() {
				time.Sleep(rand.N(2 * time.Second))
				ctx, cancel := context.WithTimeout(t.Context(), rand.N(2*within))
				defer cancel()
				caller := fmt.Sprint(n % 7)
				if n%50 == 0 {
					caller = Common
				}
				a, began := NewAccount(memory, caller, Limits{}), time.Now()
				defer a.Release()
				err := a.Reserve(ctx, rand.Int64N(24*part), rand.Int64N(2*part), within)
				if waited := time.Since(began); waited > within+learnWithin {
					t.Errorf("waited %s", waited)
				}
				if err != nil {
					return
				}
				for range 8 {
					_ = a.Take(rand.IntN(3 * part))
					time.Sleep(rand.N(20 * time.Millisecond))
				}
				a.Executed()
			})
		}
		running.Wait()
		if held, _ := memory.Requests.Used(); held != 0 || memory.reservations.lines.Len() != 0 || len(memory.Requests.callers) != 0 {
			t.Errorf("%d bytes held, %d wait, callers %v", held, memory.reservations.lines.Len(), memory.Requests.callers)
		}
	})
}
