package live

import "time"

// pace lets reads begin, so that those of both APIs together stay within Config.Polls and a short burst. The budget
// lengthens intervals to that end, but it knows only polls and retries, and it is shared again after an interval: the
// first reads of many streams, and what changes and nudges cause, would be in addition. Such reads are urgent.
//
//   - Key: the watch.
//   - Bound: each watch waits once, 8 bytes.
//   - Filled by: each reason to read a watch.
//   - Emptied by: time, and the end of the last stream of a watch.
type pace struct {
	waiting *fairQueue
	every   time.Duration // for one read
	next    time.Time     // the earliest next read; in the past if reads may begin at once
	timer   timer         // at next, if a watch waits
}

// burstOfPolls is the time whose reads may begin at once. Timers that fire together are 160 ms apart (groupTicks).
const burstOfPolls = 250 * time.Millisecond

func newPace(polls int) pace {
	return pace{waiting: newFairQueue(polls), every: time.Duration(float64(time.Second) / float64(polls))}
}

// paceLocked has a watch read as soon as the pace allows it and a worker is free.
func (e *Engine) paceLocked(w *watch) {
	e.pace.waiting.add(w)
	e.beginReadsLocked(time.Now())
}

// beginReadsLocked queues the watches that may read now, and sets the timer for the others.
func (e *Engine) beginReadsLocked(now time.Time) {
	p := &e.pace
	if earliest := now.Add(-burstOfPolls); p.next.Before(earliest) {
		p.next = earliest
	}
	for !now.Before(p.next) {
		w, done, ok := p.waiting.next()
		if !ok {
			return
		}
		done()
		p.next = p.next.Add(p.every)
		e.readers[w.subject.service()].addLocked(w)
	}
	if p.waiting.waiting() > 0 {
		e.setTimerLocked(&p.timer, p.next)
	}
}
