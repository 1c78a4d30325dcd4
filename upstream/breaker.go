package upstream

import (
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
)

// BreakerConfig says when a service that fails is left alone. A failure is an exchange without a whole answer, or with a
// 5xx; it is not what the service refused (4xx), what it sent that makes no sense, nor what the caller gave up.
type BreakerConfig struct {
	Percent int           // of the calls of a window that must fail to open it; 0 for no breaker
	Calls   int           // that a window must have at least; 0 for DefaultBreakerCalls
	Window  time.Duration // 0 for DefaultBreakerWindow
	Wait    time.Duration // before a service is tried again; 0 for DefaultBreakerWait
}

// The defaults of BreakerConfig.
const (
	// DefaultBreakerPercent leaves a service alone that fails more often than it answers.
	DefaultBreakerPercent = 50
	// DefaultBreakerCalls keeps a handful of failures at night from being half of all calls.
	DefaultBreakerCalls = 20
	// DefaultBreakerWindow is as long as DefaultTimeout, so that calls that hang together are counted together.
	DefaultBreakerWindow = 10 * time.Second
	// DefaultBreakerWait is short enough for a person to wait, and spares a service that comes up all but a few calls.
	DefaultBreakerWait = 5 * time.Second
)

// breakerProbes is how many calls a service gets when it is tried again, and how many good answers close the breaker. One
// bad answer opens it again. Where there is no answer for as long as BreakerConfig.Wait, it gets as many more: a service
// that comes up again may have lost the first ones, and nobody should wait for those to time out.
const breakerProbes = 3

// verdict is what an exchange says about the health of its service.
type verdict int

const (
	neither verdict = iota // it was broken off before it could say anything
	healthy
	failing
)

// breaker is a circuit breaker of failsafe-go, and what that has no place for: a call that began in one state says nothing
// about the next one, a call that says nothing gives its permit back, and a service that is silent when it is tried is
// tried again. A nil breaker is always closed.
//
//   - Key: the service. It is shared by all callers: what they learn of each other is that the service fails.
//   - Bound: under 1 KiB: failsafe-go counts the calls of a window in ten parts, not one by one.
//   - Filled by: any caller, with a count for each exchange. judge says which ends count, so that a caller cannot open it
//     by giving a call no time.
//   - Emptied by: the end of the window, and each change of its state.
type breaker struct {
	wait    time.Duration
	mu      sync.Mutex // held around each use of circuit, so that term is its state's
	circuit circuitbreaker.CircuitBreaker[any]
	term    uint64 // how often the state changed
	round   round  // of the calls by which the service is tried, while half-open
	opened  func() // called without mu
}

// round is calls by which a service is tried.
type round struct {
	term  uint64 // that it belongs to
	n     uint64 // of the rounds
	began time.Time
	left  int // calls that may yet be made
}

// permit is the leave to make a call: the term in which it was given, and the round where that was half-open.
type permit struct{ term, round uint64 }

func newBreaker(config BreakerConfig, opened func()) *breaker {
	if config.Percent <= 0 {
		return nil
	}
	setDefault(&config.Calls, DefaultBreakerCalls)
	setDefault(&config.Window, DefaultBreakerWindow)
	setDefault(&config.Wait, DefaultBreakerWait)
	b := &breaker{opened: opened, wait: config.Wait}
	b.circuit = circuitbreaker.NewBuilder[any]().
		WithFailureRateThreshold(float64(min(config.Percent, 100))/100, uint(config.Calls), config.Window).
		WithSuccessThreshold(breakerProbes).
		WithDelay(config.Wait).
		OnStateChanged(func(circuitbreaker.StateChangedEvent) { b.term++ }).
		Build()
	return b
}

// closedFor tells for how long no call is going to be let through, 0 when one may be.
func (b *breaker) closedFor() time.Duration {
	if b == nil {
		return 0
	}
	return b.circuit.RemainingDelay()
}

// mostPatience is how long at most who is sent away while a service is tried is told to wait: the breaker may close at any
// moment.
const mostPatience = time.Second

// retryAfter tells who is sent away when to ask again, 0 for at any time.
func (b *breaker) retryAfter() time.Duration {
	if b == nil {
		return 0
	}
	if wait := b.circuit.RemainingDelay(); wait > 0 {
		return wait
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.round.term != b.term || !b.circuit.IsHalfOpen() || b.round.left > 0 {
		return 0
	}
	return min(max(b.wait-time.Since(b.round.began), 0), mostPatience)
}

// enter asks for leave to make a call. Who gets it says by leave how the call ended.
func (b *breaker) enter() (permit, bool) {
	if b == nil {
		return permit{}, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	ok := b.circuit.TryAcquirePermit()
	if !b.circuit.IsHalfOpen() {
		return permit{term: b.term}, ok
	}
	// failsafe-go counts permits of its own here, which know of no second round: these count.
	r := &b.round
	if r.term != b.term || time.Since(r.began) >= b.wait {
		*r = round{term: b.term, n: r.n + 1, began: time.Now(), left: breakerProbes}
	}
	if r.left == 0 {
		return permit{}, false
	}
	r.left--
	return permit{b.term, r.n}, true
}

func (b *breaker) leave(p permit, v verdict) {
	if b == nil {
		return
	}
	b.mu.Lock()
	before := b.term
	if p.term == before {
		halfOpen := b.circuit.IsHalfOpen()
		late := halfOpen && p.round != b.round.n // of a round that was given up
		switch {
		case v == healthy: // also late: slow, but an answer
			b.circuit.RecordSuccess()
		case v == failing && !late:
			b.circuit.RecordFailure()
		}
		if halfOpen && !late && v != failing {
			b.round.left++
		}
	}
	opened := b.term != before && b.circuit.IsOpen()
	b.mu.Unlock()
	if opened {
		b.opened()
	}
}

// state is closed, open or half-open.
func (b *breaker) state() string {
	if b == nil {
		return circuitbreaker.ClosedState.String()
	}
	return b.circuit.State().String()
}
