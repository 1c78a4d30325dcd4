package live

import (
	"container/heap"
	"math"
	"time"
)

const (
	timerTick  = 10 * time.Millisecond // the resolution of timers
	groupTicks = 16                    // the resolution of timers that fire at the same ticks
	groupAfter = 5 * time.Second       // timers that fire earlier do not fire together
	manyTimers = 64 * groupTicks       // timers of a group from which on they fire at every second tick only
	never      = math.MaxInt64         // the next tick without timers
)

// timers is a heap of timers. Each timer has an owner, so the number of owners bounds the heap.
type timers struct {
	start time.Time
	now   int64 // the last tick that was handled, since start
	heap  timerHeap

	soon    int  // timers of the current group of ticks that were too near to fire together
	awake   bool // whether the last group had as many as ticks, or more
	busy    bool // whether it had manyTimers or more
	spreads int  // timers that were spread over a group
}

// timer calls fire once, at a tick. The zero timer is not set.
type timer struct {
	fire  func(now time.Time)
	at    int64 // the tick; 0 if it is not set
	index int   // in the heap
}

// coalesce returns a time close to the given one at which others fire too: a process at rest that wakes rarely, and
// then does the work of many timers, uses less than half the processor time. If the process wakes at nearly all ticks
// anyway, it spreads the timers instead, since queries wait for the work of many: 107 heartbeats take 5 ms.
func (t *timers) coalesce(now, at time.Time) time.Time {
	const group = groupTicks * timerTick
	switch {
	case at.Sub(now) < groupAfter:
		t.soon++
		return at
	case t.awake:
		t.spreads++
		return at.Add(-timerTick * time.Duration(t.spreads%groupTicks))
	default:
		return t.start.Add((at.Sub(t.start) + group - 1).Truncate(group))
	}
}

// time returns the time of a tick.
func (t *timers) time(tick int64) time.Time { return t.start.Add(time.Duration(tick) * timerTick) }

// set sets or moves a timer. It fires at the first tick at or after the given time.
func (t *timers) set(a *timer, at time.Time) {
	tick := max(int64((at.Sub(t.start)+timerTick-1)/timerTick), t.now+1)
	switch isSet := a.at > 0; {
	case !isSet:
		a.at = tick
		heap.Push(&t.heap, a)
	case tick != a.at:
		a.at = tick
		heap.Fix(&t.heap, a.index)
	}
}

// cancel cancels a timer. A timer that is not set stays so.
func (t *timers) cancel(a *timer) {
	if a.at > 0 {
		heap.Remove(&t.heap, a.index)
		a.at = 0
	}
}

// advance fires the timers that are due. A timer may set and cancel timers, itself too.
func (t *timers) advance(now time.Time) {
	last := int64(now.Sub(t.start) / timerTick)
	for len(t.heap) > 0 && t.heap[0].at <= last {
		due := t.heap[0]
		t.turn(due.at)
		t.cancel(due)
		due.fire(now)
	}
	t.turn(last)
}

// turn begins a tick.
func (t *timers) turn(tick int64) {
	if groups := tick/groupTicks - t.now/groupTicks; groups > 0 {
		if groups > 1 {
			t.soon = 0 // the last group had none
		}
		t.awake, t.busy, t.soon = t.soon >= groupTicks, t.soon >= manyTimers, 0
	}
	t.now = max(t.now, tick)
}

// next returns the first tick with a timer. If nearly all ticks have many, it is an even one: a read takes 5 to 10 %
// less processor time if twice as many begin together.
func (t *timers) next() int64 {
	switch {
	case len(t.heap) == 0:
		return never
	case t.busy:
		return t.heap[0].at + t.heap[0].at%2
	default:
		return t.heap[0].at
	}
}

// timerHeap implements heap.Interface.
type timerHeap []*timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(a any) {
	added := a.(*timer)
	added.index = len(*h)
	*h = append(*h, added)
}

func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	removed := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return removed
}
