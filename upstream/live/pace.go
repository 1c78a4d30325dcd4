package live

import "time"

// pace lets reads begin, so that those of both APIs together stay within Config.Polls and a short burst. The budget
// lengthens intervals to that end, but it knows only polls and retries, and it is shared again after an interval: the
// first reads of many streams, and what changes and nudges cause, would be in addition. Such reads are urgent.
//
//   - Key: the watch.
//   - Bound: each watch waits once, 16 bytes.
//   - Filled by: each reason to read a watch.
//   - Emptied by: time, and the end of the last stream of a watch.
type pace struct {
	waiting fairQueue
	every   time.Duration // for one read
	next    time.Time     // the earliest next read; in the past if reads may begin at once
	timer   timer         // at next, if a watch waits
}

// burstOfPolls is the time whose reads may begin at once. Timers that fire together are 160 ms apart (groupTicks).
const burstOfPolls = 250 * time.Millisecond

func newPace(polls int) pace {
	return pace{every: time.Duration(float64(time.Second) / float64(polls))}
}

// enqueue has a watch read as soon as the pace allows it and a goroutine is free.
func (st *state) enqueue(w *watch, urgent bool, now time.Time) {
	switch {
	case w.reading:
		w.requeue = true
	case !w.queued, urgent && !w.line.urgent && st.pace.waiting.remove(w.line, w):
		w.queued, w.line = true, line{w.token.share(), urgent}
		st.pace.waiting.add(w.line, w)
		st.beginReads(now)
	}
}

// beginReads queues the watches that may read now, and sets the timer for the others.
func (st *state) beginReads(now time.Time) {
	p := &st.pace
	if earliest := now.Add(-burstOfPolls); p.next.Before(earliest) {
		p.next = earliest
	}
	for ; p.waiting.length() > 0 && !now.Before(p.next); p.next = p.next.Add(p.every) {
		t, from := p.waiting.next()
		st.reads[t.(*watch).subject.service()].add(from, t)
	}
	if p.waiting.length() > 0 {
		st.timers.set(&p.timer, p.next)
	}
}
