package client

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

var (
	errNoTurn    = errors.New("no turn before the deadline: too many calls are under way")
	errQueueFull = errors.New("too many calls wait already")
	errOpen      = errors.New("the API fails, and is left alone for a while")
)

// queue bounds how many calls of a service are under way, and how many wait for that. It is fair between callers: each has
// a line of its own, and the lines take turns. A caller who waits with many calls makes way for one who waits with few.
//
//   - Key: the service, and for a line the caller.
//   - Bound: longest waiters, each of 200 bytes; a line has a waiter at least. Its slices keep up to as many places that are
//     not used any more. What the waiting operations hold is bounded where they are admitted.
//   - Filled by: any caller, while most calls are under way. One caller can fill it alone; then the calls of others take the
//     places of the last in its line.
//   - Emptied by: the end of each call under way, the deadlines of those that wait, and all at once when the breaker opens.
type queue struct {
	most    int // calls under way
	longest int // calls that wait

	mu      sync.Mutex
	busy    int
	waiting int
	lines   []*line // of callers who wait, in the order of their turns
}

// line is the calls of one caller that wait, the first first.
type line struct {
	caller  string
	waiters []*waiter
}

// waiter waits until it is called up: with nil to begin, or with what is in its way.
type waiter struct{ called chan error }

// take waits for a turn, until the deadline. Who gets it gives it back by leave.
func (q *queue) take(ctx context.Context, caller string, deadline time.Time) error {
	q.mu.Lock()
	if q.busy < q.most { // as nearly always; nobody waits then
		q.busy++
		q.mu.Unlock()
		return nil
	}
	w, err := q.join(caller)
	q.mu.Unlock()
	if err != nil {
		return err
	}
	late := time.NewTimer(time.Until(deadline))
	defer late.Stop()
	select {
	case err := <-w.called:
		return err
	case <-ctx.Done():
	case <-late.C:
	}
	q.mu.Lock()
	waited := q.remove(caller, w)
	q.mu.Unlock()
	if !waited && <-w.called == nil { // called up in the meantime
		q.leave()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errNoTurn
}

// leave gives a turn to the next call, or back.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines) == 0 {
		q.busy--
		return
	}
	first := q.lines[0]
	w := first.waiters[0]
	first.waiters = first.waiters[1:]
	q.lines = q.lines[1:]
	if len(first.waiters) > 0 {
		q.lines = append(q.lines, first)
	}
	q.waiting--
	w.called <- nil
}

// dismiss sends away all who wait, and tells how many they were.
func (q *queue) dismiss(why error) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.waiting
	for _, l := range q.lines {
		for _, w := range l.waiters {
			w.called <- why
		}
	}
	q.lines, q.waiting = nil, 0
	return n
}

// join puts a call at the end of its caller's line. Where too many wait, the one that came last into the longest line goes
// away, which may be this one. The queue is locked.
func (q *queue) join(caller string) (*waiter, error) {
	own := q.lineOf(caller)
	if q.waiting >= q.longest {
		most := q.longestLine()
		if most == nil || len(most.waiters) <= len(own.waiters)+1 {
			return nil, errQueueFull
		}
		last := len(most.waiters) - 1
		most.waiters[last].called <- errQueueFull
		most.waiters = most.waiters[:last]
		q.waiting--
	}
	w := &waiter{make(chan error, 1)}
	if len(own.waiters) == 0 {
		q.lines = append(q.lines, own)
	}
	own.waiters = append(own.waiters, w)
	q.waiting++
	return w, nil
}

// lineOf is the caller's line, an empty one that is not among the lines when nothing of theirs waits.
func (q *queue) lineOf(caller string) *line {
	for _, l := range q.lines {
		if l.caller == caller {
			return l
		}
	}
	return &line{caller: caller}
}

func (q *queue) longestLine() *line {
	var most *line
	for _, l := range q.lines {
		if most == nil || len(l.waiters) > len(most.waiters) {
			most = l
		}
	}
	return most
}

// remove takes a call that gave up out of its line; false when it is not there any more. The queue is locked.
func (q *queue) remove(caller string, w *waiter) bool {
	own := q.lineOf(caller)
	at := slices.Index(own.waiters, w)
	if at < 0 {
		return false
	}
	own.waiters = slices.Delete(own.waiters, at, at+1)
	if len(own.waiters) == 0 {
		q.lines = slices.DeleteFunc(q.lines, func(l *line) bool { return l == own })
	}
	q.waiting--
	return true
}

func (q *queue) stand() (busy, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.busy, q.waiting
}
