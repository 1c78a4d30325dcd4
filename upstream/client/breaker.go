package client

import (
	"slices"
	"time"

	"pixgraph/upstream"
)

// BreakerConfig says when the circuit breaker of a service opens. A failure is an exchange without a complete
// response, or with a 5xx. A 4xx, an invalid response and a call that its caller cancelled are not failures of the
// service; a refusal (upstream.HealthRefused) is no success either. Failures of one caller or of one target, such as a
// record, are not failures of the service either, unless no connection is made: see breakers.
type BreakerConfig struct {
	Percent int           // percentage of failed calls in a window that opens the breaker; 0 disables the breaker
	Calls   int           // minimum number of calls in a window for the breaker to open; 0 for DefaultBreakerCalls
	Window  time.Duration // 0 for DefaultBreakerWindow
	Wait    time.Duration // from open to half-open; 0 for DefaultBreakerWait
}

// The defaults of BreakerConfig.
const (
	// DefaultBreakerPercent opens the breaker of a service that fails as often as it succeeds.
	DefaultBreakerPercent = 50
	// DefaultBreakerCalls keeps the breaker closed if half of very few calls fail, as may happen at night.
	DefaultBreakerCalls = 20
	// DefaultBreakerWindow is DefaultTimeout, so that calls that hang at the same time are counted in the same window.
	DefaultBreakerWindow = 10 * time.Second
	// DefaultBreakerWait is short enough for a person to wait, and limits a service that is recovering to a few calls.
	DefaultBreakerWait = 2500 * time.Millisecond
)

// breakerProbes is the number of calls that a half-open breaker allows, and the number of successes that close it. One
// failure opens that of a caller again; that of a service needs one without a connection, or two of different callers
// and targets. If these calls have no result after BreakerConfig.Wait, the breaker allows as many more: a
// service that is recovering may have lost the first ones, and recovery must not depend on their timeouts.
const breakerProbes = 3

// The states of a breaker, by the names that metrics use.
const (
	stateClosed   = "closed"
	stateOpen     = "open"
	stateHalfOpen = "half-open"
)

// breaker is a circuit breaker. The result of a call counts only for the state in which the call began; a call that
// says nothing about the health returns its permit. A nil breaker is always closed. It has no lock: breakers has one.
//
//   - Key: the service, or the service and a caller. That of a service is shared by all callers; they learn nothing of
//     each other but that the service fails.
//   - Bound: 12 KiB for a service, 3 KiB for a caller, of the newest calls; others of a window are counted, not kept.
//   - Filled by: any caller, with a count for each exchange. Client.healthOf decides which exchanges count, so that a
//     caller cannot open the breaker with very short deadlines.
//   - Emptied by: the end of the window, and each change of the state.
type breaker struct {
	config    BreakerConfig
	ofService bool // of all callers; otherwise of one
	onOpen    func()

	state      string
	since      time.Time // the last change of the state
	generation uint64    // number of changes of the state
	outcomes   outcomes  // while closed
	successes  int       // while half-open
	round      round     // while half-open
}

// origin is who makes a call, and for what: hashes of the caller and of the target.
type origin struct {
	caller, target uint64
	// own is the caller too, but for callers whose token may be invented, which are one for the breaker of the service:
	// the failures of one must not cost another one calls.
	own uint64
	// background says that no person waits for the call. It cannot open a breaker or use its probes, but it can
	// close it.
	background bool
	// known says that the last call of the caller or for the target failed. It says nothing new if this one fails too,
	// and leaves the probes of a half-open breaker to others.
	known bool
}

// yields reports whether a call leaves the probes of a half-open breaker to others.
func (o origin) yields() bool { return o.background || o.known }

// result is what an exchange says about the health of its service.
type result struct {
	health      upstream.Health
	unconnected bool // no connection was made, so that neither the caller nor the target is the cause
}

// round is the probes that a half-open breaker allows until its wait has passed again. One caller cannot take all of
// them. Its failures alone do not open the breaker, nor do those of one target: then it makes no more probes in the
// round.
type round struct {
	number   uint64 // within the generation, from 1
	began    time.Time
	probes   []uint64 // callers of the probes in flight, and of those that failed
	yielding int      // calls that yield in flight, and those that failed
	failed   bool     // whether a probe failed
	failing  origin   // its origin
}

// allows reports whether a call may be made in the round.
func (r *round) allows(o origin) bool {
	if o.yields() {
		return r.yielding < breakerProbes
	}
	if r.failed && r.failing.caller == o.caller {
		return false
	}
	own := 0
	for _, caller := range r.probes {
		if caller == o.caller {
			own++
		}
	}
	return len(r.probes) < breakerProbes && own < breakerProbes-1
}

// permit allows one call. It holds the generation and, for a half-open breaker, the number of the round.
type permit struct{ generation, round uint64 }

// newBreaker returns the breaker of a service or of one caller; nil if breakers are disabled.
func newBreaker(config BreakerConfig, ofService bool, onOpen func()) *breaker {
	if config.Percent <= 0 {
		return nil
	}
	config.Percent = min(config.Percent, 100)
	setDefault(&config.Calls, DefaultBreakerCalls)
	setDefault(&config.Window, DefaultBreakerWindow)
	setDefault(&config.Wait, DefaultBreakerWait)
	return &breaker{config: config, ofService: ofService, onOpen: onOpen, state: stateClosed, since: time.Now()}
}

// setState begins a new generation.
func (b *breaker) setState(state string) {
	b.state, b.since = state, time.Now()
	b.generation++
	b.outcomes, b.successes, b.round = outcomes{}, 0, round{}
	if state == stateOpen {
		b.onOpen()
	}
}

// maxHalfOpenWait bounds the time that retryAfter returns for a half-open breaker, which may close at any moment.
const maxHalfOpenWait = time.Second

// retryAfter returns the time for which no such call will be allowed, or 0 if one may be allowed now.
func (b *breaker) retryAfter(o origin) time.Duration {
	switch {
	case b == nil:
		return 0
	case b.state == stateOpen:
		return max(b.config.Wait-time.Since(b.since), 0)
	case b.state == stateHalfOpen && !b.round.allows(o):
		return min(max(b.config.Wait-time.Since(b.round.began), 0), maxHalfOpenWait)
	default:
		return 0
	}
}

// allow reports whether a call may be made. If so, the caller must report its result with the permit.
func (b *breaker) allow(o origin) (permit, bool) {
	if b == nil {
		return permit{}, true
	}
	if b.state == stateClosed {
		return permit{generation: b.generation}, true
	}
	if b.state == stateOpen && time.Since(b.since) >= b.config.Wait {
		b.setState(stateHalfOpen)
	}
	if r := &b.round; b.state == stateHalfOpen && time.Since(r.began) >= b.config.Wait {
		*r = round{number: r.number + 1, began: time.Now()}
	}
	if b.state != stateHalfOpen || !b.round.allows(o) {
		return permit{}, false
	}
	if o.yields() {
		b.round.yielding++
	} else {
		b.round.probes = append(b.round.probes, o.caller)
	}
	return permit{b.generation, b.round.number}, true
}

// report records the result of a call that was allowed.
func (b *breaker) report(p permit, o origin, r result) {
	switch {
	case b == nil || p.generation != b.generation:
	case b.state == stateHalfOpen:
		b.probed(p, o, r)
	case b.state == stateClosed && r.health != upstream.HealthUnknown && b.outcomes.add(b, o, r):
		b.setState(stateOpen)
	}
}

// probed handles the result of a call in the half-open state.
func (b *breaker) probed(p permit, o origin, r result) {
	current := &b.round
	late := p.round != current.number // the call belongs to an earlier round
	switch {
	case r.health == upstream.HealthGood: // a late success counts too: the service is slow, but works
		b.successes++
	case late:
	case r.health == upstream.HealthBad && (o.background || o.known && !r.unconnected):
		return
	case r.health == upstream.HealthBad:
		another := current.failed && current.failing.caller != o.caller && current.failing.target != o.target
		if r.unconnected || !b.ofService || another {
			b.setState(stateOpen)
			return
		}
		current.failed, current.failing = true, o
		return
	}
	if b.successes == breakerProbes {
		b.setState(stateClosed)
		return
	}
	if at := slices.Index(current.probes, o.caller); o.yields() && !late {
		current.yielding--
	} else if !o.yields() && !late && at >= 0 {
		current.probes = slices.Delete(current.probes, at, at+1)
	}
}

// currentState returns closed, open or half-open.
func (b *breaker) currentState() string {
	if b == nil {
		return stateClosed
	}
	return b.state
}
