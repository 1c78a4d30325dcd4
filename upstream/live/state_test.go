package live

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// world is a state, an API and clients that do anything at any time.
type world struct {
	*state
	t       *testing.T
	random  *rand.Rand
	now     time.Time
	streams []*Stream
	reading []*watch
	from    []line  // of reading
	version byte    // of the records
	failing float64 // part of the reads and answers that fail
}

// arrive begins a stream, if there is room.
func (w *world) arrive() {
	token, id := strconv.Itoa(w.random.IntN(3)), strconv.Itoa(w.random.IntN(4))
	s, err := w.begin(&Request{
		Token: Token{Key: token, Caller: token}, Subject: Record((*client.Session).Transaction, id), Answer: strconv.Itoa(w.random.IntN(2)),
		Execute: func(context.Context, *Reading) ([]byte, error) { return nil, nil },
	}, w.now)
	if err == nil {
		w.streams = append(w.streams, s)
	}
}

// beginRead begins a read that is queued, if there is one.
func (w *world) beginRead() bool {
	queue := w.reads[upstream.Core]
	next, from := queue.next()
	if next == nil {
		return false
	}
	if _, ok := next.(*watch).begin(w.now); ok {
		w.reading, w.from = append(w.reading, next.(*watch)), append(w.from, from)
	} else {
		queue.done(from)
	}
	return true
}

// endRead ends a read.
func (w *world) endRead() {
	i := w.random.IntN(len(w.reading))
	read, from := w.reading[i], w.from[i]
	last := len(w.reading) - 1
	w.reading[i], w.from[i] = w.reading[last], w.from[last]
	w.reading, w.from = w.reading[:last], w.from[:last]
	fails := func() bool { return w.random.Float64() < w.failing }
	switch kinds := []upstream.Kind{upstream.KindForbidden, upstream.KindRateLimited, upstream.KindServerError}; {
	case fails(): // few may no longer read
		read.failed(&upstream.Error{Kind: kinds[min(w.random.IntN(50), len(kinds)-1)]}, w.now)
	case read.isCurrent(w.now) && read.version == Version{w.version}:
		read.unchanged(w.now)
	default:
		reading := &Reading{Status: "PENDING", Version: Version{w.version}, Updated: w.now}
		outdated, paid := read.apply(reading, w.now)
		for _, c := range outdated {
			if fails() {
				c.executed(reading, nil, errors.New("no memory"), w.now)
			} else {
				c.executed(reading, []byte{w.version}, nil, w.now)
			}
		}
		if paid {
			read.finishRead(w.now)
		}
	}
	w.reads[upstream.Core].done(from)
}

// deliver sends to all streams that are queued.
func (w *world) deliver() {
	for next, _ := w.sends.next(); next != nil; next, _ = w.sends.next() {
		for s := next.(*Stream); s.sending; {
			if s.take(w.now); s.ended != "" {
				break
			}
		}
	}
}

// TestStateAtRandom: whatever clients and the API do, each stream is current soon after the API works again, and
// nothing is left of streams that ended.
func TestStateAtRandom(t *testing.T) {
	current := 0
	for seed := range uint64(200) {
		w := &world{t: t, random: rand.New(rand.NewPCG(seed, 1)), now: time.Now(), failing: 0.3}
		config := Config{Polls: 1 + w.random.IntN(20), StreamsPerCaller: 10, Workers: 1 + w.random.IntN(4), Lifetime: 100 * time.Hour}
		config.Random = w.random.Float64
		if seed%2 == 0 { // callers whose credit is short
			config.Pay = func(_ Token, calls int) (int, time.Duration) { return calls * w.random.IntN(2), time.Second }
		}
		w.state = newState(config.withDefaults(), w.now)
		step := func() {
			switch w.random.IntN(10) {
			case 0:
				w.arrive()
			case 1:
				if len(w.streams) > 0 {
					w.streams[w.random.IntN(len(w.streams))].end(EndClient)
				}
			case 2:
				w.nudgeHinted(strconv.Itoa(w.random.IntN(4)), w.now, w.now)
				w.version++
			case 3:
				for _, l := range w.limits {
					w.resume(l, w.now)
				}
			case 4:
				w.deliver()
			case 5:
				for len(w.reading) > 0 {
					w.endRead()
				}
			default:
				for w.beginRead() && w.random.IntN(3) > 0 {
				}
				w.now = w.now.Add(time.Duration(w.random.Float64() * float64(time.Second)))
				w.timers.advance(w.now)
			}
		}
		for range 500 {
			step()
		}
		w.failing, w.config.Pay = 0, Config{}.withDefaults().Pay
		for end := w.now.Add(5 * time.Minute); w.now.Before(end); {
			for w.beginRead() {
			}
			for len(w.reading) > 0 {
				w.endRead()
			}
			w.deliver()
			if w.now = w.timers.time(w.timers.next()); w.timers.next() == never {
				break
			}
			w.timers.advance(w.now)
		}
		for i, s := range w.streams {
			if s.ended == "" {
				current++
			}
			if s.ended == "" && (!s.hasAnswer || s.stale || s.cohort.hash == Version{} || !s.cohort.failing.IsZero()) {
				t.Errorf("seed %d: stream %d is not current", seed, i)
			}
			s.end(EndClient)
		}
		w.deliver()
		if left := len(w.watches) + len(w.records.byKey) + len(w.limits) + len(w.budget.callers) + int(w.state.streams.Load()); left > 0 {
			t.Errorf("seed %d: %d watches, records, limits and callers are left", seed, left)
		}
		w.timers.cancel(&w.pace.timer)
		if n, demand := len(w.timers.heap), w.budget.demand; n > 0 || demand > 1e-9 || demand < -1e-9 {
			t.Errorf("seed %d: %d timers and a demand of %g are left", seed, n, demand)
		}
		if n := w.pace.waiting.length() + w.reads[upstream.Core].length() + w.sends.length(); n > 0 {
			t.Errorf("seed %d: %d tasks are left", seed, n)
		}
	}
	if current < 500 {
		t.Errorf("only %d streams lasted", current)
	}
}
