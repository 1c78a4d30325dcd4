package client

import (
	"sync"
	"time"

	"pixgraph/upstream"
)

// BreakerConfig says when the circuit breaker of a service opens. A failure is an exchange without a complete response,
// or with a 5xx. A 4xx, an invalid response and a call that its caller cancelled are not failures of the service.
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
	DefaultBreakerWait = 5 * time.Second
)

// breakerProbes is the number of calls that a half-open breaker allows, and the number of successes that close it. One
// failure opens it again. If these calls have no result after BreakerConfig.Wait, the breaker allows as many more: a
// service that is recovering may have lost the first ones, and recovery must not depend on their timeouts.
const breakerProbes = 3

// The states of a breaker, by the names that metrics use.
const (
	stateClosed   = "closed"
	stateOpen     = "open"
	stateHalfOpen = "half-open"
)

// windowBuckets is the number of buckets of a window. A call leaves the window together with its bucket, so up to a
// tenth of the window early.
const windowBuckets = 10

// breaker is a circuit breaker. The result of a call counts only for the state in which the call began; a call that
// says nothing about the health returns its permit. A nil breaker is always closed.
//
//   - Key: the service. It is shared by all callers; they learn nothing of each other but that the service fails.
//   - Bound: under 1 KiB: the calls of a window are counted in ten buckets, not one by one.
//   - Filled by: any caller, with a count for each exchange. Client.healthOf decides which exchanges count, so that a
//     caller cannot open the breaker with very short deadlines.
//   - Emptied by: the end of the window, and each change of the state.
type breaker struct {
	config BreakerConfig
	onOpen func() // called without mu

	mu         sync.Mutex
	state      string
	since      time.Time             // the last change of the state
	generation uint64                // number of changes of the state
	window     [windowBuckets]bucket // while closed
	successes  int                   // while half-open
	round      probeRound            // while half-open
}

// bucket counts the calls of a part of a window.
type bucket struct {
	index           int64 // of the part, counted from the time at which the breaker was closed
	calls, failures int
}

// probeRound is a number of calls that a half-open breaker allows.
type probeRound struct {
	number    uint64 // within the generation, from 1
	began     time.Time
	remaining int // calls still allowed
}

// permit allows one call. It holds the generation and, for a half-open breaker, the number of the round.
type permit struct{ generation, round uint64 }

func newBreaker(config BreakerConfig, onOpen func()) *breaker {
	if config.Percent <= 0 {
		return nil
	}
	config.Percent = min(config.Percent, 100)
	setDefault(&config.Calls, DefaultBreakerCalls)
	setDefault(&config.Window, DefaultBreakerWindow)
	setDefault(&config.Wait, DefaultBreakerWait)
	return &breaker{config: config, onOpen: onOpen, state: stateClosed, since: time.Now()}
}

// setState begins a new generation. The breaker is locked.
func (b *breaker) setState(state string) {
	b.state, b.since = state, time.Now()
	b.generation++
	b.window, b.successes, b.round = [windowBuckets]bucket{}, 0, probeRound{}
}

// maxHalfOpenWait bounds the time that retryAfter returns for a half-open breaker, which may close at any moment.
const maxHalfOpenWait = time.Second

// retryAfter returns the time for which no call will be allowed, or 0 if a call may be allowed now.
func (b *breaker) retryAfter() time.Duration {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.state == stateOpen:
		return max(b.config.Wait-time.Since(b.since), 0)
	case b.state == stateHalfOpen && b.round.remaining == 0:
		return min(max(b.config.Wait-time.Since(b.round.began), 0), maxHalfOpenWait)
	default:
		return 0
	}
}

// allow reports whether a call may be made. If so, the caller must report its result with the permit.
func (b *breaker) allow() (permit, bool) {
	if b == nil {
		return permit{}, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == stateClosed {
		return permit{generation: b.generation}, true
	}
	if b.state == stateOpen && time.Since(b.since) >= b.config.Wait {
		b.setState(stateHalfOpen)
	}
	if r := &b.round; b.state == stateHalfOpen && time.Since(r.began) >= b.config.Wait {
		*r = probeRound{number: r.number + 1, began: time.Now(), remaining: breakerProbes}
	}
	if b.round.remaining == 0 {
		return permit{}, false
	}
	b.round.remaining--
	return permit{b.generation, b.round.number}, true
}

// report records what a call that was allowed says about the health of the service.
func (b *breaker) report(p permit, health upstream.Health) {
	if b == nil {
		return
	}
	b.mu.Lock()
	opens := false
	late := p.round != b.round.number // the call belongs to an earlier round
	switch {
	case p.generation != b.generation:
	case b.state == stateClosed:
		opens = health != upstream.HealthUnknown && b.count(health == upstream.HealthBad)
	case health == upstream.HealthBad:
		opens = !late
	default:
		if health == upstream.HealthGood { // a late success counts too: the service is slow, but works
			b.successes++
		}
		if !late {
			b.round.remaining++
		}
	}
	switch {
	case opens:
		b.setState(stateOpen)
	case b.successes == breakerProbes:
		b.setState(stateClosed)
	}
	b.mu.Unlock()
	if opens {
		b.onOpen()
	}
}

// count adds a call to the window of a closed breaker, and reports whether the breaker must open. The breaker is
// locked.
func (b *breaker) count(failed bool) bool {
	index := int64(time.Since(b.since) / max(b.config.Window/windowBuckets, 1))
	current := &b.window[index%windowBuckets]
	if current.index != index {
		*current = bucket{index: index}
	}
	current.calls++
	if failed {
		current.failures++
	}
	calls, failures := 0, 0
	for _, t := range b.window {
		if t.index > index-windowBuckets {
			calls, failures = calls+t.calls, failures+t.failures
		}
	}
	return calls >= b.config.Calls && failures*100 >= calls*b.config.Percent
}

// currentState returns closed, open or half-open.
func (b *breaker) currentState() string {
	if b == nil {
		return stateClosed
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}
