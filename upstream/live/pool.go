package live

import "time"

// pool runs the tasks of a queue, with as few goroutines as keep up with it. An event of 10,000 streams is sent by a
// few goroutines, and not by 10,000 with a stack each, and a burst of reads leaves the processors to queries. A long
// queue may begin with more of them than a short one. A task that takes long, such as an event for a client that does
// not read, holds a goroutine. If tasks wait for a tick, the goroutines are doubled, so that it delays others by a few
// ticks only.
//
//   - Key: the task, which its user queues at most once.
//   - Bound: the queue, which holds each task once, and max goroutines.
//   - Filled by: the user of the pool.
//   - Emptied by: the goroutines, which end when the queue is empty.
type pool struct {
	queue           *fairQueue
	timers          *timers
	min, usual, max int // goroutines that begin for a short queue, for a long one, and in all

	running int    // goroutines
	late    bool   // whether they do not keep up
	taken   uint64 // tasks, ever
	due     uint64 // value of taken that the tick expects
	tick    timer  // set while tasks wait
}

const (
	// minReaders suffice for APIs that are near: a read takes less than a millisecond, nearly all of which is waiting.
	// With more, queries wait longer; with fewer, the process sleeps and wakes for each response.
	minReaders = 4
	// usualReaders take 5 % less processor time for a read than minReaders, since responses arrive while others are
	// read.
	usualReaders = 2 * minReaders
	// minSenders suffice for clients that read, since a write to them does not wait.
	minSenders = 2
	// shareOfQueue is the tasks of a long queue for which one goroutine begins.
	shareOfQueue = 16
	// poolTick is the time that tasks may wait before the goroutines are doubled.
	poolTick = 20 * time.Millisecond
)

func newPool(queue *fairQueue, timers *timers, minimum, usual, maximum int) *pool {
	p := &pool{queue: queue, timers: timers, min: minimum, usual: usual, max: maximum}
	p.tick.fire = func(time.Time) { p.late = p.taken < p.due }
	return p
}

// start returns the number of goroutines to start now.
func (p *pool) start(now time.Time) (n int) {
	waiting, added, late := p.queue.length(), p.queue.added, p.late
	p.queue.added, p.late = 0, false
	if waiting == 0 {
		p.timers.cancel(&p.tick)
		return 0
	}
	if p.tick.at == 0 {
		p.due = p.taken + uint64(waiting)
		p.timers.set(&p.tick, now.Add(poolTick))
	}
	n = max(0, min(added, min(max(waiting/shareOfQueue, p.min), p.usual, p.max)-p.running))
	if late {
		n = max(n, min(p.running, p.max-p.running))
	}
	p.running += n
	return n
}

// next returns the next task, or nil at the end of a goroutine.
func (p *pool) next() (task, line) {
	t, from := p.queue.next()
	if p.taken++; t == nil {
		p.taken--
		p.running--
	}
	return t, from
}

// work runs tasks until the queue is empty.
func (e *Engine) work(p *pool) {
	var t task
	var from line
	take := func(time.Time) { t, from = p.next() }
	next := func(now time.Time) { p.queue.done(from); take(now) }
	for e.do(take); t != nil; e.do(next) {
		t.run(e)
	}
}
