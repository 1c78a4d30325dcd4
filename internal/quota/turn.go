package quota

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

// Turns divides the processors among the operations of callers: only as many operations as there are units compute at
// a time, by the rules of a Queue. An operation has its turn until it waits, for a call or for its client, and others
// need it. If it computes long, it gives up its turn in between (Step). So it delays those of other callers by no more
// than a piece of it takes.
//
//   - Key: the caller.
//   - Bound: an entry for each unit; those that wait have been admitted.
//   - Filled by: operations that compute.
//   - Emptied by: the end of each operation, or the next one that waits.
type Turns struct {
	queue *Queue
	units int
	held  []*Turn       // protected by the queue's lock
	piece time.Duration // after which an operation gives up its turn for another caller
}

// DefaultPiece is short compared with what a person notices, and long compared with a change of turns.
const DefaultPiece = 500 * time.Microsecond

// NewTurns returns turns of which a number are taken at a time, and given up after a piece.
func NewTurns(units int, piece time.Duration) *Turns {
	t := &Turns{queue: NewQueue(units, 0), units: units, piece: piece}
	t.queue.reclaim = t.reclaim
	return t
}

// Turn is the right of an operation to compute. Its goroutines share it. A nil Turn is always held.
type Turn struct {
	turns  *Turns
	caller string

	acquiring chan struct{} // holds a value while a goroutine waits for the turn, for all of them; nil if none did
	began     atomic.Int64  // when the current piece began, in nanoseconds since epoch
	held      atomic.Bool   // written with the queue's lock
	waits     int           // goroutines that wait; protected by the queue's lock
	ended     bool          // protected by the queue's lock
}

// Take waits for a turn of a caller, until the end of ctx or for a time; 0 is no limit. After success, the caller must
// call End.
func (t *Turns) Take(ctx context.Context, caller string, within time.Duration) (*Turn, error) {
	turn := &Turn{turns: t, caller: caller}
	if err := turn.acquire(ctx, within); err != nil {
		return nil, err
	}
	return turn, nil
}

func (t *Turn) acquire(ctx context.Context, within time.Duration) error {
	q := t.turns.queue
	q.mu.Lock()
	if !q.take(t.caller) {
		w, _ := q.enqueue(t.caller, 1) // the queue has no limit
		q.mu.Unlock()
		if err := q.wait(ctx, t.caller, w, within); err != nil {
			return err
		}
		q.mu.Lock()
	}
	defer q.mu.Unlock()
	if t.ended {
		q.release(t.caller)
		return nil
	}
	t.held.Store(true)
	t.began.Store(int64(time.Since(epoch)))
	t.turns.held = append(t.turns.held, t)
	return nil
}

// epoch is when the process began.
var epoch = time.Now()

// Step is called by a goroutine that computes, at least each 100 us. It waits for the turn if others have taken it. If
// the operation has computed for a piece, it gives up its turn if other callers wait, and lets other goroutines run.
func (t *Turn) Step(ctx context.Context) {
	if t == nil {
		return
	}
	t.Ensure(ctx)
	began, now := t.began.Load(), int64(time.Since(epoch))
	if now-began < int64(t.turns.piece) || !t.began.CompareAndSwap(began, now) {
		return
	}
	if !t.pass() {
		runtime.Gosched() // the goroutine would keep its processor for 10 ms
		return
	}
	t.Ensure(ctx)
}

// pass gives up the turn if another caller waits.
func (t *Turn) pass() bool {
	q := t.turns.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if !t.held.Load() || !q.lines.others(t.caller) {
		return false
	}
	t.release()
	return true
}

// Pause says that a goroutine of the operation begins to wait. Others may take the turn until Resume.
func (t *Turn) Pause() {
	if t == nil {
		return
	}
	q := t.turns.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.waits++; q.lines.Len() > 0 {
		t.release()
	}
}

// Resume ends a Pause. It waits for the turn if others have taken it.
func (t *Turn) Resume(ctx context.Context) {
	if t == nil {
		return
	}
	q := t.turns.queue
	q.mu.Lock()
	t.waits--
	q.mu.Unlock()
	t.Ensure(ctx)
}

// Ensure waits for the turn if others have taken it, while another goroutine of the operation waited. At the end of ctx
// it stops waiting: then the operation has little to compute.
func (t *Turn) Ensure(ctx context.Context) {
	if t == nil || t.held.Load() {
		return
	}
	q := t.turns.queue
	q.mu.Lock()
	ended := t.ended
	if t.acquiring == nil {
		t.acquiring = make(chan struct{}, 1)
	}
	q.mu.Unlock()
	if ended {
		return
	}
	select {
	case t.acquiring <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-t.acquiring }()
	if !t.held.Load() {
		_ = t.acquire(ctx, 0)
	}
}

// yields is how often Yield lets others run. What is ready then needs up to three goroutines to get as far as the
// operation that yields: one reads the request, one executes the operation, and one a root field.
const yields = 3

// Yield lets the goroutines that are ready run first, if more than half of the turns are held. Otherwise the processors
// are hardly busy, and few goroutines are ready.
func (t *Turn) Yield() {
	for range yields {
		if t == nil || !t.turns.areHeld() {
			return
		}
		runtime.Gosched()
	}
}

// areHeld reports whether more than half of the turns are held, also by operations that wait.
func (t *Turns) areHeld() bool {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return 2*len(t.held) > t.units
}

// End returns the turn.
func (t *Turn) End() {
	if t == nil {
		return
	}
	q := t.turns.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	t.ended = true
	t.release()
}

// release returns the turn if it is held. The queue is locked.
func (t *Turn) release() {
	if !t.held.Load() {
		return
	}
	t.held.Store(false)
	held := t.turns.held
	at := slices.Index(held, t)
	t.turns.held = slices.Delete(held, at, at+1)
	t.turns.queue.release(t.caller)
}

// reclaim takes a turn from an operation that waits, if there is one. The queue is locked.
func (t *Turns) reclaim() bool {
	for _, turn := range t.held {
		if turn.waits > 0 {
			turn.release()
			return true
		}
	}
	return false
}
