package live

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// modelled is an alarm, and when it is to ring.
type modelled struct {
	alarm
	earliest time.Time // the zero time if it is not set
}

// TestWheelModel compares the wheel with a model: each alarm that is set rings once, within a tick of its time, whatever other
// goroutines and alarms set and cancel in the meantime, and however long the goroutine of the wheel has been asleep.
func TestWheelModel(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) { testWheelModel(t, seed) })
	}
}

func testWheelModel(t *testing.T, seed uint64) {
	e := New(Config{})
	defer e.Close()
	rings := 0
	alarms := make([]modelled, 1+seed%17)
	random := rand.New(rand.NewPCG(seed, 0))
	// The times are before now, at once, in the same tick, in the same turn and some turns ahead.
	spans := []time.Duration{-time.Minute, 1, wheelTick, 20 * wheelTick, wheelSlots * wheelTick, 4 * wheelSlots * wheelTick}
	change := func() { // the engine is locked
		a, now := &alarms[random.IntN(len(alarms))], time.Now()
		if random.IntN(4) == 0 {
			a.earliest = time.Time{}
			e.wheel.cancel(&a.alarm)
			return
		}
		span := spans[random.IntN(len(spans))]
		at := now.Add(time.Duration(random.Float64() * float64(span)))
		if a.earliest = at; at.Before(now) {
			a.earliest = now
		}
		e.set(&a.alarm, at)
	}
	for i := range alarms {
		a := &alarms[i]
		a.ring = func(now time.Time) {
			switch late := now.Sub(a.earliest); {
			case a.earliest.IsZero():
				t.Errorf("seed %d: an alarm that is not set rings", seed)
			case late < 0 || late > wheelTick:
				t.Errorf("seed %d: an alarm rings %s late", seed, late)
			}
			a.earliest = time.Time{}
			rings++
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
	for i := range alarms {
		if a := &alarms[i]; !a.earliest.IsZero() && time.Since(a.earliest) > wheelTick {
			t.Errorf("seed %d: an alarm is %s late", seed, time.Since(a.earliest))
		}
		e.wheel.cancel(&alarms[i].alarm)
	}
	if rings < 20 || e.wheel.alarms != 0 {
		t.Errorf("seed %d: %d rings, %d alarms left", seed, rings, e.wheel.alarms)
	}
}

// TestWheelAfterPause: after a pause of the process, all alarms that are due ring, and no others, also if the pause was longer than a
// turn.
func TestWheelAfterPause(t *testing.T) {
	for _, pause := range []int64{1, wheelSlots - 1, wheelSlots, wheelSlots + 1, wheelSlots + 2, 3*wheelSlots + 7} {
		w := wheel{start: time.Now()}
		tick := func(n int64) time.Time { return w.start.Add(time.Duration(n) * wheelTick) }
		rang := 0
		for at := int64(1); at <= pause+wheelSlots; at++ {
			w.set(&alarm{ring: func(time.Time) {
				if rang++; at > pause {
					t.Errorf("pause of %d ticks: the alarm of tick %d rings", pause, at)
				}
			}}, tick(at))
		}
		w.turn(tick(pause))
		if rang != int(pause) || w.alarms != wheelSlots || w.next() != pause+1 {
			t.Errorf("pause of %d ticks: %d alarms ring, %d are left, the next one rings at %d", pause, rang, w.alarms, w.next())
		}
	}
}

// TestAlarmOfTurnWhenAwake: the alarm of a record whose answers do not fail rings when its turn is due, and not a little before it,
// which would make a second ring necessary.
func TestAlarmOfTurnWhenAwake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(Config{Source: hanging{}})
		defer e.Close()
		if _, err := e.Join(Request{Subject: Transaction("a"), Sink: ignored{}}); err != nil {
			t.Fatal(err)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, r := range e.records {
			r.status, e.wheel.awake = "PAID", true
			early := 0
			for range 100 {
				if r.schedule(e, time.Now()); r.next().Before(r.turn) {
					early++
				}
			}
			if early > 0 {
				t.Errorf("%d of 100 alarms ring before the turn", early)
			}
			e.wheel.awake, e.wheel.soon, r.status = false, 0, ""
			if r.schedule(e, time.Now()); e.wheel.soon != 1 {
				t.Errorf("one alarm that is near counts as %d", e.wheel.soon)
			}
		}
	})
}

// TestManyAlarmsAtSecondTicks: if most ticks have many alarms, the goroutine of the wheel wakes at every second one.
func TestManyAlarmsAtSecondTicks(t *testing.T) {
	for _, alarms := range []int{1, manyAlarms - 1, manyAlarms} {
		w := wheel{start: time.Now()}
		tick := func(n int64) time.Time { return w.start.Add(time.Duration(n) * wheelTick) }
		for range alarms {
			w.together(w.start, tick(1))
		}
		w.turn(tick(groupTicks))
		odd := alarm{}
		w.set(&odd, tick(groupTicks+5))
		want := int64(groupTicks + 5)
		if alarms == manyAlarms {
			want++
		}
		if got := w.next(); got != want {
			t.Errorf("%d alarms in %d ticks: the goroutine wakes at tick %d, not %d", alarms, groupTicks, got, want)
		}
	}
}
