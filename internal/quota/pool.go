// Package quota shares out what all callers use together, so that none of them can take it all: the places of operations,
// and the memory that requests hold. It neither waits nor allocates what it counts; its users report a refusal to the
// client.
//
// Read first: Pool, then Account, which is what one request holds of a pool of bytes.
package quota

import "sync"

// Pool is a number of units that callers hold at a time. A caller may hold share times what is free: one that takes what it
// can gets three quarters of the pool, a second one three quarters of the rest, and so on: a caller alone is hardly limited.
// The last eighth is for callers that hold little, so that not even many greedy ones leave nothing for the others.
//
//   - Key: the caller, as auth.Identity.Caller gives it: one for all tokens of a caller, in forward mode one for each token.
//   - Bound: an entry of about 100 bytes for each caller that holds something. Such a caller has a request under way, and
//     the connections of clients are bounded.
//   - Filled by: requests with an accepted token.
//   - Emptied by: the end of each request.
type Pool struct {
	limit int64 // 0 for no bound
	small int64 // units that a caller may hold of the last eighth

	mu      sync.Mutex
	used    int64
	callers map[string]int64 // units held, never 0
	refused uint64
}

// share is how many times what is free a caller may hold.
const share = 3

// reserve is the part of a pool that is for callers that hold little.
const reserve = 8

// NewPool returns a pool of so many units, 0 for no bound, of which a caller that holds so few gets something whoever else
// is there.
func NewPool(limit, small int64) *Pool {
	return &Pool{limit: limit, small: small, callers: map[string]int64{}}
}

// Take takes units for a caller, who returns them by Return. It reports whether there were enough; none are taken
// otherwise.
func (p *Pool) Take(caller string, units int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	holds, free := p.callers[caller]+units, p.limit-p.used
	if p.limit > 0 && (units > free || holds > p.small && (holds > share*free || free-units < p.limit/reserve)) {
		p.refused++
		return false
	}
	p.used += units
	p.callers[caller] = holds
	return true
}

// Return returns units that a caller took.
func (p *Pool) Return(caller string, units int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used -= units
	if held := p.callers[caller] - units; held > 0 {
		p.callers[caller] = held
	} else {
		delete(p.callers, caller)
	}
}

// Used is how many units are held, and how often Take refused.
func (p *Pool) Used() (units int64, refused uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, p.refused
}
