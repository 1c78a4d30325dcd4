// Package quota divides shared resources among callers, so that no caller can take all of them: the slots of
// operations, the memory that requests hold, the calls in flight, the processors. It only counts: it allocates none of
// that memory. Its users report a refusal to the client.
//
// Read first: Pool. Then what waits for a part of one: Queue, for a unit; Turns, for one that is returned while its
// holder waits; Slot, for a unit again. Lines is the order of what waits, also for other packages. Account is the bytes
// that one request holds, and may reserve.
package quota

import "sync"

// Pool is a number of units that callers share. A caller may hold at most share times the free units. So a caller that
// takes as many as it can gets three quarters of the pool, a second one three quarters of the rest, and so on; a single
// caller is hardly limited. The last eighth is for callers that hold few units, so that even many callers with a high
// load leave units for the others.
//
//   - Key: the caller, from request.Call.Share: the same for all tokens of a caller, in forward mode one for each token
//     that an API has accepted, and Common for all others.
//   - Bound: an entry of about 120 bytes for each caller that holds units. Such a caller has a request under way, and
//     the connections of clients are limited.
//   - Filled by: requests with an accepted token.
//   - Emptied by: the end of each request.
type Pool struct {
	limit    int64  // 0 is no limit
	small    int64  // units of the last eighth that a caller may hold
	returned func() // hands units that were returned to those that wait, while the pool is locked; nil for none

	mu      sync.Mutex
	used    int64
	callers map[string]holding
	refused uint64
}

// holding is what a caller holds, and what is known of its requests in the meantime.
type holding struct {
	units int64 // always above 0
	waits int64 // units of requests that wait for a reservation
	usual int64 // units that its requests without a known need have held; 0 if none of them has ended
	began int   // number of those that began before
}

// running returns the units of the requests that do not wait.
func (h holding) running() int64 { return h.units - h.waits }

// Common is the caller that stands for all whose token may be invented. It may hold at most an eighth of a pool.
const Common = "common"

// share is the maximum ratio of the units that a caller holds to the free units.
const share = 3

// lastPart is the divisor of the part of a pool for callers that hold few units: an eighth.
const lastPart = 8

// NewPool returns a pool of limit units; 0 is no limit. A caller that holds at most small units may also take the
// last ones.
func NewPool(limit, small int64) *Pool {
	return &Pool{limit: limit, small: small, callers: map[string]holding{}}
}

// Take takes units for a caller, which releases them with Return. If too few are free, it takes none and returns false.
func (p *Pool) Take(caller string, units int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.take(caller, units)
	if !taken {
		p.refused++
	}
	return taken
}

// reserve is take that leaves parts of the caller's share and of the pool for requests that need more than they
// reserved, and for the next ones. Only a caller that holds little gets units of the last eighth, which are for
// requests that need them now.
func (p *Pool) reserve(caller string, units int64) bool {
	free := p.limit - p.used - units
	if !p.isLittle(caller, units) && (free < p.leaves() || p.callers[caller].running()+units > (share-1)*free) {
		return false
	}
	return p.take(caller, units)
}

// isLittle reports whether a caller that takes units still holds little.
func (p *Pool) isLittle(caller string, units int64) bool {
	return p.callers[caller].units+units <= p.small
}

// leaves returns the units that reservations leave: half as many again as the last ones.
func (p *Pool) leaves() int64 { return p.limit / lastPart * 3 / 2 }

// reservePart is reserve of as many units as there are, at most half of those that were not granted.
func (p *Pool) reservePart(caller string, units int64) (taken int64) {
	for units /= 2; units > step; units /= 2 {
		if p.limit-p.used-units >= p.leaves() && p.take(caller, units) {
			return units
		}
	}
	return 0
}

// free reports whether units are free. The pool is locked.
func (p *Pool) free() bool { return p.limit == 0 || p.used < p.limit }

// take is Take while the pool is locked. A failure is no refusal yet.
func (p *Pool) take(caller string, units int64) bool {
	h, free := p.callers[caller], p.limit-p.used
	holds := h.units + units
	if p.limit > 0 && (units > free || holds > p.small && (holds > share*free || free-units < p.limit/lastPart)) {
		return false
	}
	if p.limit > 0 && caller == Common && holds > max(p.small, p.limit/lastPart) {
		return false
	}
	p.used += units
	h.units = holds
	p.callers[caller] = h
	return true
}

// Return releases units of a caller.
func (p *Pool) Return(caller string, units int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(caller, units)
}

// put is Return while the pool is locked.
func (p *Pool) put(caller string, units int64) {
	p.used -= units
	h := p.callers[caller]
	if h.units -= units; h.units > 0 {
		p.callers[caller] = h
	} else {
		delete(p.callers, caller)
	}
	if p.returned != nil {
		p.returned()
	}
}

// maxUnknown is the number of requests of a caller that may begin while nothing is known of their need.
const maxUnknown = 16

// expect returns the units that a request of a caller will hold, judged by its other requests whose need was not known.
// It returns false if that is not known, and many of them have begun.
func (p *Pool) expect(caller string) (usual int64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, holds := p.callers[caller]
	if !holds || h.usual > 0 {
		return h.usual, true
	}
	if h.began == maxUnknown {
		return 0, false
	}
	h.began++
	p.callers[caller] = h
	return 0, true
}

// waits adds to the units of the requests of a caller that wait for a reservation. They hold them, but do not run.
func (p *Pool) waits(caller string, units int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h, holds := p.callers[caller]; holds {
		h.waits += units
		p.callers[caller] = h
	}
}

// learn is notified of the units that a request without a known need has held.
func (p *Pool) learn(caller string, units int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h, holds := p.callers[caller]; holds {
		h.usual = Usual(h.usual, units)
		p.callers[caller] = h
	}
}

// Usual returns the number of bytes that requests usually hold, from that of the earlier ones and of another one. A
// larger number counts at once, smaller ones step by step.
func Usual(earlier, last int64) int64 { return max(last, earlier-(earlier-last)/8) }

// Used returns the number of units held, and the number of refusals.
func (p *Pool) Used() (units int64, refused uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, p.refused
}
