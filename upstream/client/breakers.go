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
	config  BreakerConfig
	service *breaker
	seed    maphash.Seed

	mu      sync.Mutex
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

func newBreakers(config BreakerConfig, onOpen func()) *breakers {
	service := newBreaker(config, true, onOpen)
	b := &breakers{service: service, seed: maphash.MakeSeed()}
	b.callers = lru.NewCounted[uint64, *failingCaller](maxFailingCallers, nil)
	if service != nil {
		b.config = service.config
	}
	return b
}

// originOf returns the origin of a call: share is the caller for the breaker of the service.
func (b *breakers) originOf(share, caller, target string, background bool) origin {
	hash := func(text string) uint64 { return maphash.String(b.seed, text) }
	o := origin{caller: hash(share), own: hash(caller), target: hash(target), background: background}
	b.mu.Lock()
	defer b.mu.Unlock()
	if own, _ := b.callers.Get(o.own); own != nil {
		o.known = own.fails || own.of(o) != nil
	}
	return o
}

// retryAfter returns the time for which no such call will be allowed, or 0 if one may be allowed now.
func (b *breakers) retryAfter(o origin) time.Duration {
	after := b.service.retryAfter(o)
	if o.background {
		return after
	}
	own := b.failing(o)
	if own == nil {
		return after
	}
	after = max(after, own.breaker.retryAfter(o))
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := own.of(o); t != nil && t.failures >= targetFailures {
		after = max(after, time.Until(t.until))
	}
	return after
}

// failing returns what is known of a caller with failures; nil for any other.
func (b *breakers) failing(o origin) *failingCaller {
	b.mu.Lock()
	defer b.mu.Unlock()
	own, _ := b.callers.Get(o.own)
	return own
}

// of returns what is known of the target of a call. The breakers are locked.
func (c *failingCaller) of(o origin) *failingTarget {
	at := slices.IndexFunc(c.targets, func(t failingTarget) bool { return t.target == o.target })
	if at < 0 {
		return nil
	}
	return &c.targets[at]
}

// fails reports whether the target of a call is known to fail.
func (b *breakers) fails(own *failingCaller, o origin) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := own.of(o)
	return t != nil && t.failures >= targetFailures
}

// permits are the permits of the breakers that allowed a call.
type permits struct {
	service, own permit
	caller       *failingCaller // nil without one at the time
}

// allow reports whether a call may be made. If so, its result must be reported. A target that fails is called once in
// each wait.
func (b *breakers) allow(o origin) (p permits, ok bool) {
	if !o.background {
		if p.caller = b.failing(o); p.caller != nil && !b.allowOwn(o, &p) {
			return p, false
		}
	}
	if p.service, ok = b.service.allow(o); !ok && p.caller != nil {
		p.caller.breaker.report(p.own, o, result{health: upstream.HealthUnknown})
	}
	return p, ok
}

func (b *breakers) allowOwn(o origin, p *permits) (ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	t := p.caller.of(o)
	fails := t != nil && t.failures >= targetFailures
	if fails && now.Before(t.until) {
		return false
	}
	if p.own, ok = p.caller.breaker.allow(o); ok && fails {
		t.until = now.Add(b.config.Wait)
	}
	return ok
}

// report records the result of a call that was allowed.
func (b *breakers) report(p permits, o origin, r result) {
	if b.service == nil {
		return
	}
	ofService := r
	if r.health == upstream.HealthRefused { // proxies that refuse a caller at once do it in an outage too
		ofService.health, r.health = upstream.HealthUnknown, upstream.HealthGood
	}
	b.service.report(p.service, o, ofService)
	if o.background || p.caller == nil && r.health != upstream.HealthBad {
		return
	}
	if p.caller == nil {
		p.caller = b.remember(o)
		p.own, _ = p.caller.breaker.allow(o)
	}
	ofCaller := r
	if r.health == upstream.HealthBad && b.fails(p.caller, o) {
		ofCaller.health = upstream.HealthUnknown // it says nothing of other targets
	}
	p.caller.breaker.report(p.own, o, ofCaller)
	if r.health != upstream.HealthUnknown {
		b.note(p.caller, o, r.health == upstream.HealthBad)
	}
}

// remember returns what is known of a caller, whose first failure it may be.
func (b *breakers) remember(o origin) *failingCaller {
	b.mu.Lock()
	defer b.mu.Unlock()
	own, ok := b.callers.Get(o.own)
	if !ok {
		own = &failingCaller{breaker: newBreaker(b.config, false, func() {})}
		b.callers.Add("", o.own, own)
	}
	return own
}

// note remembers a result of a target.
func (b *breakers) note(own *failingCaller, o origin, failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	own.fails = failed
	last := failingTarget{target: o.target}
	if t := own.of(o); t != nil {
		last = *t
		own.targets = slices.DeleteFunc(own.targets, func(t failingTarget) bool { return t.target == o.target })
	}
	if !failed {
		return
	}
	now := time.Now()
	if now.Sub(last.until) > b.config.Window {
		last.failures = 0 // the earlier ones were long ago
	}
	last.failures++
	last.until = now.Add(b.config.Wait)
	if len(own.targets) >= maxFailingTargets {
		own.targets = slices.Delete(own.targets, 0, 1)
	}
	own.targets = append(own.targets, last)
}
