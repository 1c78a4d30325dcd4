package live

import "time"

// pool calls a function for each element of a queue, with as few goroutines as keep up with it. An event of 10,000
// streams is sent by a few goroutines, and not by 10,000 with a stack each, and a burst of reads leaves the processors
// to queries. A long queue may begin with more of them than a short one. An element that takes long, such as an event
// for a client that does not read, holds a goroutine. If elements wait for a tick, the goroutines are doubled, so that
// it delays others by a few ticks only.
//
//   - Key: the element, which its user queues at most once.
//   - Bound: the queue, which holds each element once, and max goroutines.
//   - Filled by: the user of the pool.
//   - Emptied by: the goroutines, which end when the queue is empty.
type pool[T any] struct {
	engine *Engine
	min    int // goroutines that begin for a short queue
	usual  int // goroutines that begin for a long one
	max    int // goroutines
	do     func(T)

	queue   queue[T]
	running int    // goroutines
	taken   uint64 // elements, ever
	due     uint64 // value of taken that the next tick expects
	ticking bool   // whether a tick is set
	timer   *time.Timer
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
	// shareOfQueue is the elements of a long queue for which one goroutine begins.
	shareOfQueue = 16
	// poolTick is the time that elements may wait before the goroutines are doubled.
	poolTick = 20 * time.Millisecond
)

// queue is the elements of a pool that wait. Its owner locks the engine.
type queue[T any] interface {
	add(T)
	waiting() int
	// next returns an element to handle now, and what to call when it was handled. There may be none although some
	// wait: until another one is done.
	next() (element T, done func(), ok bool)
}

// fifo is a queue whose elements are handled in their order.
type fifo[T any] struct{ elements []T }

func (f *fifo[T]) add(element T) { f.elements = append(f.elements, element) }

func (f *fifo[T]) waiting() int { return len(f.elements) }

func (f *fifo[T]) next() (element T, done func(), ok bool) {
	if len(f.elements) == 0 {
		f.elements = nil
		return element, nil, false
	}
	element = f.elements[0]
	clear(f.elements[:1])
	f.elements = f.elements[1:]
	return element, func() {}, true
}

// addLocked queues an element.
func (p *pool[T]) addLocked(element T) {
	p.queue.add(element)
	if p.running < min(max(p.queue.waiting()/shareOfQueue, p.min), p.usual, p.max) {
		p.startLocked(1)
	}
	if !p.ticking {
		p.expectLocked()
	}
}

// startLocked starts goroutines.
func (p *pool[T]) startLocked(n int) {
	for range n {
		p.running++
		p.engine.tasks.Go(p.run)
	}
}

// expectLocked sets a tick, by which all elements that are queued now should have been taken.
func (p *pool[T]) expectLocked() {
	p.ticking, p.due = true, p.taken+uint64(p.queue.waiting())
	if p.timer == nil {
		p.timer = time.AfterFunc(poolTick, p.tick)
	} else {
		p.timer.Reset(poolTick)
	}
}

// tick doubles the goroutines if they do not keep up.
func (p *pool[T]) tick() {
	p.engine.mu.Lock()
	defer p.engine.mu.Unlock()
	if p.ticking = false; p.queue.waiting() == 0 {
		return // all were taken just before it
	}
	if p.taken < p.due {
		p.startLocked(min(p.running, p.max-p.running))
	}
	p.expectLocked()
}

// run handles elements until the queue has none.
func (p *pool[T]) run() {
	p.engine.mu.Lock()
	defer p.engine.mu.Unlock()
	for {
		element, done, ok := p.queue.next()
		if !ok {
			if p.running--; p.ticking && p.queue.waiting() == 0 {
				p.timer.Stop()
				p.ticking = false
			}
			return
		}
		p.taken++
		p.engine.mu.Unlock()
		p.do(element)
		p.engine.mu.Lock()
		done()
	}
}
