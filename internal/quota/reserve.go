package quota

import (
	"context"
	"time"
)

const (
	// reservedPart is the divisor of the part of a pool that a request may reserve.
	reservedPart = 4
	// failedPart is that of what a request needs at least that got no memory: little compared to what there is next to
	// a caller that holds its share.
	failedPart = 32
	// learnWithin is how long a request waits for the first ones of its caller, to know what it will need.
	learnWithin = 100 * time.Millisecond
	// guessWithin is how long a request waits for memory whose need is not known, because it may need less.
	guessWithin = time.Second
)

// Reserve takes the memory that a request will probably use, before it has taken any but that of its body: usual, or as
// much as other requests of its caller if usual is 0. It waits for requests of its caller that run, until there is
// enough. So if many requests need more than there is, they run one after the other, and do not fail when they have
// done most of their work. Requests that wait do not wait for each other.
func (a *Account) Reserve(ctx context.Context, usual int64, within time.Duration) error {
	if a == nil || a.memory.Requests.limit == 0 {
		return nil
	}
	need := usual
	if a.unknown = usual == 0; a.unknown {
		if a.Take(1) == nil { // the caller is known while it holds memory
			defer a.Return(1)
		}
		await(ctx, learnWithin, func() (known bool) {
			need, known = a.memory.Requests.expect(a.caller)
			return known
		})
	}
	a.mu.Lock()
	held := a.taken
	a.mu.Unlock()
	more := min(need*5/4, a.memory.Requests.limit/reservedPart) - held // the next execution may need a little more
	if more <= step {
		return nil
	}
	a.memory.Requests.waits(a.caller, held)
	defer a.memory.Requests.waits(a.caller, -held)
	if a.unknown {
		within = min(within, guessWithin)
	}
	var taken int64
	reserved := await(ctx, within, func() (ok bool) {
		taken, ok = a.memory.Requests.reserve(a.caller, more)
		return ok
	})
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
