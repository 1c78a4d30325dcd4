package client

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"pixgraph/internal/lru"
	"pixgraph/upstream"
)

// breakers are the circuit breakers of a service. That of the service opens if calls of several callers for several
// targets fail while no other target works, or if no connections are made. A caller whose calls fail for several
// targets has a breaker of its own, and each target that fails for a caller is remembered, so that neither of them
// takes calls from the others.
//
//   - Key: the service; then the caller, and the caller with the target, as hashes.
//   - Bound: 12 KiB for the service, and for each of maxFailingCallers 3 KiB and 1 KiB for its targets: 4 MiB.
//   - Filled by: any caller, with calls that fail.
//   - Emptied by: the failure of another caller, which evicts the one that called longest ago; a target by its next
//     success, and by other targets of the caller.
type breakers struct {
	config BreakerConfig
	seed   maphash.Seed

	mu      sync.Mutex // also protects each breaker
	service *breaker
	callers *lru.Cache[uint64, *failingCaller]
}

const (
	maxFailingCallers = 1024
	maxFailingTargets = 32 // of a caller
	// targetFailures is the number of failures, one after the other, after which a target is not called for a while.
	targetFailures = 10
)

// failingCaller is a caller with failures.
type failingCaller struct {
	breaker *breaker
	fails   bool            // whether its last call failed
	targets []failingTarget // the last one failed last
}

// failingTarget is a target that failed for a caller.
type failingTarget struct {
	target   uint64
	failures int // one after the other
	until    time.Time
}

// fails reports whether a target is not called for a while.
func (t *failingTarget) fails() bool { return t != nil && t.failures >= targetFailures }

func newBreakers(config BreakerConfig, onOpen func()) *breakers {
	b := &breakers{service: newBreaker(config, true, onOpen), seed: maphash.MakeSeed()}
	b.callers = lru.NewCounted[uint64, *failingCaller](maxFailingCallers, nil)
	if b.service != nil {
		b.config = b.service.config
	}
	return b
}

// state returns the state of the breaker of the service.
func (b *breakers) state() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.service.currentState()
}

// originOf returns the origin of a call: share is the caller for the breaker of the service.
func (b *breakers) originOf(share, caller, target string, background bool) origin {
	hash := func(text string) uint64 { return maphash.String(b.seed, text) }
	o := origin{caller: hash(share), own: hash(caller), target: hash(target), background: background}
	b.mu.Lock()
	defer b.mu.Unlock()
	if own, ok := b.callers.Get(o.own); ok {
		o.known = own.fails || own.of(o) != nil
	}
	return o
}

// retryAfter returns the time for which no such call will be allowed, or 0 if one may be allowed now.
func (b *breakers) retryAfter(o origin) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	after := b.service.retryAfter(o)
	if own, ok := b.callers.Get(o.own); ok && !o.background {
		after = max(after, own.breaker.retryAfter(o))
		if t := own.of(o); t.fails() {
			after = max(after, time.Until(t.until))
		}
	}
	return after
}

// of returns what is known of the target of a call, nil without a failure.
func (c *failingCaller) of(o origin) *failingTarget {
	at := slices.IndexFunc(c.targets, func(t failingTarget) bool { return t.target == o.target })
	if at < 0 {
		return nil
	}
	return &c.targets[at]
}

// permits are the permits of the breakers that allowed a call.
type permits struct {
	service, own permit
	caller       *failingCaller // nil without one at the time
}

// allow reports whether a call may be made. If so, its result must be reported. A target that fails is called once in
// each wait.
func (b *breakers) allow(o origin) (p permits, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if own, known := b.callers.Get(o.own); known && !o.background {
		t, now := own.of(o), time.Now()
		if t.fails() && now.Before(t.until) {
			return p, false
		}
		if p.own, ok = own.breaker.allow(o); !ok {
			return p, false
		}
		if p.caller = own; t.fails() {
			t.until = now.Add(b.config.Wait)
		}
	}
	if p.service, ok = b.service.allow(o); !ok && p.caller != nil {
		p.caller.breaker.report(p.own, o, result{health: upstream.HealthUnknown})
	}
	return p, ok
}

// report records the result of a call that was allowed.
func (b *breakers) report(p permits, o origin, r result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.service == nil {
		return
	}
	ofService := r
	if r.health == upstream.HealthRefused { // proxies that refuse a caller at once do it in an outage too
		ofService.health, r.health = upstream.HealthUnknown, upstream.HealthGood
	}
	b.service.report(p.service, o, ofService)
	failed := r.health == upstream.HealthBad
	if o.background || p.caller == nil && !failed {
		return
	}
	if p.caller == nil {
		p.caller = b.remember(o)
		p.own, _ = p.caller.breaker.allow(o)
	}
	ofCaller := r
	if failed && p.caller.of(o).fails() {
		ofCaller.health = upstream.HealthUnknown // it says nothing of other targets
	}
	p.caller.breaker.report(p.own, o, ofCaller)
	if r.health != upstream.HealthUnknown {
		p.caller.note(b.config, o, failed)
	}
}

// remember returns what is known of a caller, whose first failure it may be. The breakers are locked.
func (b *breakers) remember(o origin) *failingCaller {
	own, ok := b.callers.Get(o.own)
	if !ok {
		own = &failingCaller{breaker: newBreaker(b.config, false, func() {})}
		b.callers.Add("", o.own, own)
	}
	return own
}

// note remembers a result of a target.
func (c *failingCaller) note(config BreakerConfig, o origin, failed bool) {
	c.fails = failed
	last, now := failingTarget{target: o.target}, time.Now()
	if t := c.of(o); t != nil && now.Sub(t.until) <= config.Window { // otherwise its failures were long ago
		last = *t
	}
	c.targets = slices.DeleteFunc(c.targets, func(t failingTarget) bool { return t.target == o.target })
	if !failed {
		return
	}
	last.failures++
	last.until = now.Add(config.Wait)
	if len(c.targets) >= maxFailingTargets {
		c.targets = slices.Delete(c.targets, 0, 1)
	}
	c.targets = append(c.targets, last)
}
