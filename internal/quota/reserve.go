package quota

import (
	"cmp"
	"context"
	"time"

	"pixgraph/internal/delay"
)

const (
	// reservedPart is the divisor of the part of a pool that a request may reserve. One that needs more than its
	// reservation must find the rest next to those of others, and that of a caller must fit into its share.
	reservedPart = 2
	// failedPart is that of what a request needs at least that got no memory: little compared to what there is next to
	// a caller that holds its share.
	failedPart = 32
	// learnWithin is how long a request waits for the first ones of its caller, to know what it will need.
	learnWithin = 100 * time.Millisecond
	learnEvery  = 20 * time.Millisecond // between two looks
	// guessWithin is how long a request waits for memory whose need is not known, because it may need less.
	guessWithin = time.Second
)

// Reserve takes the memory that a request will probably use, before it has taken any but that of its body: usual, or a
// guess if usual is 0, or as much as other requests of its caller if the guess is 0 too. It waits until there is
// enough, in the line of its caller. So if many requests need more than there is, they run one after the other, and do
// not fail when they have done most of their work.
//
// It waits for within while requests of its own caller hold the memory, or while others that wait get theirs. If others
// keep what they hold, it takes what there is: nobody can make others wait by that.
func (a *Account) Reserve(ctx context.Context, usual, guess int64, within time.Duration) error {
	if a == nil || a.memory.Requests.limit == 0 {
		return nil
	}
	need := cmp.Or(usual, guess)
	if a.unknown = need == 0; a.unknown {
		if a.Take(1) == nil { // the caller is known while it holds memory
			defer a.Return(1)
		}
		need = a.memory.Requests.learned(ctx, a.caller)
	}
	most := a.memory.Requests.limit / reservedPart
	if a.caller == Common {
		most = min(most, a.memory.Requests.limit/lastPart)
	}
	need = min(need*5/4, most) // the next execution may need a little more
	if need <= step {
		return nil
	}
	held := a.Trim()
	more := need - held
	if more <= step {
		return nil
	}
	a.memory.Requests.waits(a.caller, held)
	defer a.memory.Requests.waits(a.caller, -held)
	if a.unknown {
		within = min(within, guessWithin)
	}
	taken, reserved := a.memory.reservations.reserve(ctx, a.caller, more, within)
	if !reserved && !a.unknown {
		return ErrExhausted
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.released {
		a.memory.Requests.Return(a.caller, taken)
		return ErrExhausted
	}
	a.taken += taken
	a.reserved = a.used + taken
	return nil
}

// learned returns the memory that a request of a caller will probably use. It waits for a moment if that is not known.
func (p *Pool) learned(ctx context.Context, caller string) (usual int64) {
	usual, known := p.expect(caller)
	for began := time.Now(); !known && time.Since(began) < learnWithin && delay.Sleep(ctx, learnEvery); {
		usual, known = p.expect(caller)
	}
	return usual
}

// reserve is Acquire of several units, see Account.Reserve. A caller that holds little need not wait for others.
func (q *Queue) reserve(ctx context.Context, caller string, units int64, within time.Duration) (taken int64, ok bool) {
	q.mu.Lock()
	if (q.lines.Len() == 0 || q.pool.isLittle(caller, units)) && q.admits(caller, units) {
		q.mu.Unlock()
		return units, true
	}
	w, _ := q.enqueue(caller, units) // the queue has no limit
	q.serve()
	served := q.served
	q.mu.Unlock()
	late, look := time.NewTimer(within), time.NewTicker(guessWithin)
	defer late.Stop()
	defer look.Stop()
	for ended := false; !ended; {
		select {
		case err := <-w.ready:
			return units, err == nil
		case <-look.C:
			q.mu.Lock()
			isKept := q.served == served && q.pool.callers[caller].running() < units
			served = q.served
			q.mu.Unlock()
			ended, ok = isKept, isKept
		case <-late.C:
			ended = true
		case <-ctx.Done():
			ended = true
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.lines.Remove(caller, w) {
		return units, true // it became ready in the meantime
	}
	if ok {
		taken = q.pool.reservePart(caller, units)
	}
	q.serve() // those that it has stopped
	return taken, ok
}

// Executed ends the reservation, and returns the maximum number of bytes that the request has held, or more if it
// needed more than it got.
func (a *Account) Executed() (peak int64) {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.reserved = 0; a.unknown {
		a.memory.Requests.learn(a.caller, a.peak)
	}
	return a.peak
}
