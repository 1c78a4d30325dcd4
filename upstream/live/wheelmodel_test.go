package live

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/client"
)

// modelled is a timer, and when it is to fire.
type modelled struct {
	timer
	earliest time.Time // the zero time if it is not set
}

// TestWheelModel compares the wheel with a model: each timer that is set fires once, within a tick of its time,
// whatever other goroutines and timers set and cancel in the meantime, and however long the wheel has slept.
func TestWheelModel(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) { testWheelModel(t, seed) })
	}
}

func testWheelModel(t *testing.T, seed uint64) {
	e := New(Config{})
	defer e.Close()
	fires := 0
	timers := make([]modelled, 1+seed%17)
	random := rand.New(rand.NewPCG(seed, 0))
	// The times are before now, at once, in the same tick, in the same revolution and some revolutions ahead.
	spans := []time.Duration{-time.Minute, 1, wheelTick, 20 * wheelTick, wheelSlots * wheelTick, 4 * wheelSlots * wheelTick}
	change := func() { // the engine is locked
		a, now := &timers[random.IntN(len(timers))], time.Now()
		if random.IntN(4) == 0 {
			a.earliest = time.Time{}
			e.wheel.cancel(&a.timer)
			return
		}
		span := spans[random.IntN(len(spans))]
		at := now.Add(time.Duration(random.Float64() * float64(span)))
		if a.earliest = at; at.Before(now) {
			a.earliest = now
		}
		e.setTimerLocked(&a.timer, at)
	}
	for i := range timers {
		a := &timers[i]
		a.fire = func(now time.Time) {
			switch late := now.Sub(a.earliest); {
			case a.earliest.IsZero():
				t.Errorf("seed %d: a timer that is not set fires", seed)
			case late < 0 || late > wheelTick:
				t.Errorf("seed %d: a timer fires %s late", seed, late)
			}
			a.earliest = time.Time{}
			fires++
			for range random.IntN(3) {
				change()
			}
		}
	}
	for range 3 {
		go func() {
			for range 100 {
				e.mu.Lock()
				pause := time.Duration(random.Float64() * float64(spans[1+random.IntN(len(spans)-1)]))
				for range random.IntN(3) {
					change()
				}
				e.mu.Unlock()
				time.Sleep(pause)
			}
		}()
	}
	time.Sleep(time.Hour)
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range timers {
		if a := &timers[i]; !a.earliest.IsZero() && time.Since(a.earliest) > wheelTick {
			t.Errorf("seed %d: a timer is %s late", seed, time.Since(a.earliest))
		}
		e.wheel.cancel(&timers[i].timer)
	}
	if fires < 20 || e.wheel.timers != 0 {
		t.Errorf("seed %d: %d fires, %d timers left", seed, fires, e.wheel.timers)
	}
}

// TestWheelAfterPause: after a pause of the process, all timers that are due fire, and no others, also if the pause was
// longer than a revolution.
func TestWheelAfterPause(t *testing.T) {
	for _, pause := range []int64{1, wheelSlots - 1, wheelSlots, wheelSlots + 1, wheelSlots + 2, 3*wheelSlots + 7} {
		w := wheel{start: time.Now()}
		tick := func(n int64) time.Time { return w.start.Add(time.Duration(n) * wheelTick) }
		fired := 0
		for at := int64(1); at <= pause+wheelSlots; at++ {
			w.set(&timer{fire: func(time.Time) {
				if fired++; at > pause {
					t.Errorf("pause of %d ticks: the timer of tick %d fires", pause, at)
				}
			}}, tick(at))
		}
		w.advance(tick(pause))
		if fired != int(pause) || w.timers != wheelSlots || w.next() != pause+1 {
			t.Errorf("pause of %d ticks: %d timers fire, %d are left, the next one fires at %d", pause, fired, w.timers, w.next())
		}
	}
}

// TestTimerOfPollWhenAwake: the timer of a record whose answers do not fail fires when its poll is due, and not a
// little before it, which would make a second fire necessary.
func TestTimerOfPollWhenAwake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(Config{Source: hanging{}})
		defer e.Close()
		if _, err := e.Join(Request{Subject: Record((*client.Session).Transaction, "a"), Sink: ignored{}}); err != nil {
			t.Fatal(err)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, r := range e.records {
			r.status, e.wheel.awake = "PAID", true
			early := 0
			for range 100 {
				if r.scheduleLocked(time.Now()); e.wheel.start.Add(time.Duration(r.timer.at) * wheelTick).Before(r.nextPoll) {
					early++
				}
			}
			if early > 0 {
				t.Errorf("%d of 100 timers fire before the poll", early)
			}
			e.wheel.awake, e.wheel.soon, r.status = false, 0, ""
			if r.scheduleLocked(time.Now()); e.wheel.soon != 1 {
				t.Errorf("one timer that is near counts as %d", e.wheel.soon)
			}
		}
	})
}

// TestManyTimersAtSecondTicks: if nearly all ticks have many timers, the wheel wakes at every second one.
func TestManyTimersAtSecondTicks(t *testing.T) {
	for _, timers := range []int{1, manyTimers - 1, manyTimers} {
		w := wheel{start: time.Now()}
		tick := func(n int64) time.Time { return w.start.Add(time.Duration(n) * wheelTick) }
		for range timers {
			w.coalesce(w.start, tick(1))
		}
		w.advance(tick(groupTicks))
		odd := timer{}
		w.set(&odd, tick(groupTicks+5))
		want := int64(groupTicks + 5)
		if timers == manyTimers {
			want++
		}
		if got := w.next(); got != want {
			t.Errorf("%d timers in %d ticks: the goroutine wakes at tick %d, not %d", timers, groupTicks, got, want)
		}
	}
}
