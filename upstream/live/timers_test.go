package live

import (
	"math/rand/v2"
	"testing"
	"time"
)

// modelled is a timer, and when it is to fire.
type modelled struct {
	timer
	earliest time.Time // the zero time if it is not set
}

// TestTimersModel compares the timers with a model: each timer that is set fires once, within a tick of its time,
// whatever is set and cancelled in the meantime, by others and by the timers themselves.
func TestTimersModel(t *testing.T) {
	// The times are before now, at once, in the same tick, soon and later.
	spans := []time.Duration{-time.Minute, 1, timerTick, 20 * timerTick, 40 * time.Second, 3 * time.Minute}
	for seed := range uint64(500) {
		now := time.Now()
		all := timers{start: now}
		set := make([]modelled, 1+seed%17)
		random := rand.New(rand.NewPCG(seed, 0))
		change := func() {
			a := &set[random.IntN(len(set))]
			if random.IntN(4) == 0 {
				a.earliest = time.Time{}
				all.cancel(&a.timer)
				return
			}
			at := now.Add(time.Duration(random.Float64() * float64(spans[random.IntN(len(spans))])))
			if a.earliest = at; at.Before(now) {
				a.earliest = now
			}
			all.set(&a.timer, at)
		}
		fires := 0
		for i := range set {
			a := &set[i]
			a.fire = func(fired time.Time) {
				switch late := fired.Sub(a.earliest); {
				case a.earliest.IsZero():
					t.Errorf("seed %d: a timer that is not set fires", seed)
				case late < 0 || late > timerTick:
					t.Errorf("seed %d: a timer fires %s late", seed, late)
				}
				a.earliest = time.Time{}
				fires++
				for range random.IntN(3) {
					change()
				}
			}
		}
		for range 300 {
			change()
			later := now.Add(time.Duration(random.Float64() * float64(2*timerTick)))
			if next := all.next(); next == never || later.Before(all.time(next)) && random.IntN(2) == 0 {
				now = later
			} else {
				if due := all.time(next); now.Before(due) {
					now = due
				}
				all.advance(now)
			}
			for i := range set {
				if a := &set[i]; !a.earliest.IsZero() && a.at == 0 {
					t.Fatalf("seed %d: a timer is lost", seed)
				}
			}
		}
		if fires < 20 {
			t.Errorf("seed %d: %d fires", seed, fires)
		}
	}
}

// TestTimersAfterPause: after a pause of the process, all timers that are due fire, in their order, and no others.
func TestTimersAfterPause(t *testing.T) {
	for _, pause := range []int64{1, 4095, 12_295} {
		all := timers{start: time.Now()}
		fired := int64(0)
		for at := pause + 1000; at > 0; at-- {
			all.set(&timer{fire: func(time.Time) {
				if fired++; at != fired || at > pause {
					t.Errorf("pause of %d ticks: the timer of tick %d fires", pause, at)
				}
			}}, all.time(at))
		}
		all.advance(all.time(pause))
		if fired != pause || len(all.heap) != 1000 || all.next() != pause+1 {
			t.Errorf("pause of %d ticks: %d timers fire, %d are left, the next one fires at %d", pause, fired, len(all.heap), all.next())
		}
	}
}

// TestManyTimersAtSecondTicks: if nearly all ticks have many timers, they fire at every second one.
func TestManyTimersAtSecondTicks(t *testing.T) {
	for _, tt := range []struct{ timers, groups, next int }{{1, 1, 5}, {manyTimers - 1, 1, 5}, {manyTimers, 1, 6}, {manyTimers, 2, 5}} {
		all := timers{start: time.Now()}
		for range tt.timers {
			all.coalesce(all.start, all.time(1))
		}
		last := int64(tt.groups * groupTicks)
		all.advance(all.time(last))
		all.set(&timer{}, all.time(last+5))
		if next := all.next() - last; next != int64(tt.next) {
			t.Errorf("%d timers, %d groups ago: the next one fires %d ticks later, not %d", tt.timers, tt.groups, next, tt.next)
		}
	}
}
