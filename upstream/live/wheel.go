package live

import "time"

const (
	wheelTick  = 10 * time.Millisecond // the resolution of timers
	wheelSlots = 4096                  // the number of ticks of a revolution
	groupTicks = 16                    // the resolution of timers that fire at the same ticks
	groupAfter = 5 * time.Second       // timers that fire earlier do not fire together
	manyTimers = 64 * groupTicks       // timers of a group from which on they fire at every second tick only
)

// wheel is a hashed timing wheel: setting, moving and cancelling a timer takes constant time, and no goroutine or timer
// of the runtime. Each timer has an owner, so the number of owners bounds the wheel. The engine's mutex protects it.
type wheel struct {
	start  time.Time
	now    int64 // the last tick that was handled, since start
	timers int
	slots  [wheelSlots]*timer // heads of doubly linked lists
	due    []*timer           // of the current tick, while they fire

	soon    int  // timers of the current group of ticks that were too near to fire together
	awake   bool // whether the last group had as many as ticks, or more
	busy    bool // whether it had manyTimers or more
	spreads int  // timers that were spread over a group

	runs  bool          // whether the goroutine runs
	until int64         // the tick that it waits for
	wake  chan struct{} // wakes it, because until is earlier now
}

// timer calls fire once, at a tick. The zero timer is not set.
type timer struct {
	fire       func(now time.Time)
	at         int64 // the tick; 0 if it is not set
	prev, next *timer
}

// coalesce returns a time close to the given one at which others fire too: a process at rest that wakes rarely, and
// then does the work of many timers, uses less than half the processor time. If the process wakes at nearly all ticks
// anyway, it spreads the timers instead, since queries wait for the work of many: 107 heartbeats take 5 ms.
func (w *wheel) coalesce(now, at time.Time) time.Time {
	const group = groupTicks * wheelTick
	switch {
	case at.Sub(now) < groupAfter:
		w.soon++
		return at
	case w.awake:
		w.spreads++
		return at.Add(-wheelTick * time.Duration(w.spreads%groupTicks))
	default:
		return w.start.Add((at.Sub(w.start) + group - 1).Truncate(group))
	}
}

// set sets or moves a timer. It fires at the first tick at or after the given time.
func (w *wheel) set(a *timer, at time.Time) {
	w.cancel(a)
	a.at = max(int64((at.Sub(w.start)+wheelTick-1)/wheelTick), w.now+1)
	head := &w.slots[a.at%wheelSlots]
	a.next = *head
	if a.next != nil {
		a.next.prev = a
	}
	*head = a
	w.timers++
}

// cancel cancels a timer. A timer that is not set stays so.
func (w *wheel) cancel(a *timer) {
	if a.at == 0 {
		return
	}
	if a.prev != nil {
		a.prev.next = a.next
	} else {
		w.slots[a.at%wheelSlots] = a.next
	}
	if a.next != nil {
		a.next.prev = a.prev
	}
	a.at, a.prev, a.next = 0, nil, nil
	w.timers--
}

// advance fires the timers that are due. A timer may set and cancel timers, itself too.
func (w *wheel) advance(now time.Time) {
	last := int64(now.Sub(w.start) / wheelTick)
	if last-w.now > wheelSlots { // after a long pause each slot is visited once
		w.now = last - wheelSlots
	}
	for w.now < last {
		w.now++
		if w.now%groupTicks == 0 {
			w.awake, w.busy, w.soon = w.soon >= groupTicks, w.soon >= manyTimers, 0
		}
		for a := w.slots[w.now%wheelSlots]; a != nil; a = a.next {
			if a.at <= w.now {
				w.due = append(w.due, a)
			}
		}
		for i, a := range w.due {
			if w.due[i] = nil; a.at > 0 && a.at <= w.now { // else a timer before it cancelled or moved it
				w.cancel(a)
				a.fire(now)
			}
		}
		w.due = w.due[:0]
	}
}

// next returns the first tick with a timer, at most a revolution ahead. If nearly all ticks have many, it is an even
// one: a read takes 5 to 10 % less processor time if twice as many begin together.
func (w *wheel) next() int64 {
	for tick := w.now + 1; tick < w.now+wheelSlots; tick++ {
		for a := w.slots[tick%wheelSlots]; a != nil; a = a.next {
			switch {
			case a.at > tick:
			case w.busy:
				return tick + tick%2
			default:
				return tick
			}
		}
	}
	return w.now + wheelSlots
}

// setTimerLocked sets a timer, and starts or wakes the goroutine of the wheel.
func (e *Engine) setTimerLocked(a *timer, at time.Time) {
	e.wheel.set(a, at)
	switch {
	case !e.wheel.runs:
		e.wheel.runs = true
		e.tasks.Go(e.runWheel)
	case a.at < e.wheel.until:
		e.wheel.until = a.at
		select {
		case e.wheel.wake <- struct{}{}:
		default: // it is awake
		}
	}
}

// runWheel fires the timers until none is set.
func (e *Engine) runWheel() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-e.wheel.wake:
		case <-timer.C:
		}
		e.mu.Lock()
		e.wheel.advance(time.Now())
		if e.wheel.timers == 0 {
			e.wheel.runs = false
			e.mu.Unlock()
			return
		}
		e.wheel.until = e.wheel.next()
		timer.Reset(time.Until(e.wheel.start.Add(time.Duration(e.wheel.until) * wheelTick)))
		e.mu.Unlock()
	}
}
