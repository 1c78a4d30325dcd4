package client

import (
	"sync"
	"time"
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

// The states of a breaker, by the names that metrics use.
const (
	stateClosed   = "closed"
	stateOpen     = "open"
	stateHalfOpen = "half-open"
)

// windowParts is how many parts a window is counted in: a call is forgotten when its part is over, so up to a tenth early.
const windowParts = 10

// breaker is a circuit breaker. A call that began in one state says nothing about the next one, a call that says nothing
// returns its permit, and a service that is silent when it is tried is tried again. A nil breaker is always closed.
//
//   - Key: the service. It is shared by all callers: what they learn of each other is that the service fails.
//   - Bound: under 1 KiB: the calls of a window are counted in ten parts, not one by one.
//   - Filled by: any caller, with a count for each exchange. judge says which ends count, so that a caller cannot open it
//     by giving a call no time.
//   - Emptied by: the end of the window, and each change of its state.
type breaker struct {
	config BreakerConfig
	opened func() // called without mu

	mu     sync.Mutex
	status string
	since  time.Time          // the last change of the state
	term   uint64             // how often the state changed
	window [windowParts]tally // while closed
	good   int                // answers, while half-open
	round  round              // while half-open
}

// tally counts the calls of a part of a window.
type tally struct {
	part            int64 // of the time since the breaker was closed
	calls, failures int
}

// round is calls by which a service is tried.
type round struct {
	n     uint64 // of the rounds of a term, from 1 on
	began time.Time
	left  int // calls that may yet be made
}

// permit is the leave to make a call: the term in which it was given, and the round where that was half-open.
type permit struct{ term, round uint64 }

func newBreaker(config BreakerConfig, opened func()) *breaker {
	if config.Percent <= 0 {
		return nil
	}
	config.Percent = min(config.Percent, 100)
	setDefault(&config.Calls, DefaultBreakerCalls)
	setDefault(&config.Window, DefaultBreakerWindow)
	setDefault(&config.Wait, DefaultBreakerWait)
	return &breaker{config: config, opened: opened, status: stateClosed, since: time.Now()}
}

// change begins a state. The breaker is locked.
func (b *breaker) change(status string) {
	b.status, b.since = status, time.Now()
	b.term++
	b.window, b.good, b.round = [windowParts]tally{}, 0, round{}
}

// mostPatience is the longest wait that a call which is refused while a service is tried is told: the breaker may close at
// any moment.
const mostPatience = time.Second

// retryAfter is how long no call is going to be let through, 0 when one may be.
func (b *breaker) retryAfter() time.Duration {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.status == stateOpen:
		return max(b.config.Wait-time.Since(b.since), 0)
	case b.status == stateHalfOpen && b.round.left == 0:
		return min(max(b.config.Wait-time.Since(b.round.began), 0), mostPatience)
	default:
		return 0
	}
}

// enter asks for leave to make a call. A caller that gets it says by leave how the call ended.
func (b *breaker) enter() (permit, bool) {
	if b == nil {
		return permit{}, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.status == stateClosed {
		return permit{term: b.term}, true
	}
	if b.status == stateOpen && time.Since(b.since) >= b.config.Wait {
		b.change(stateHalfOpen)
	}
	if r := &b.round; b.status == stateHalfOpen && time.Since(r.began) >= b.config.Wait {
		*r = round{n: r.n + 1, began: time.Now(), left: breakerProbes}
	}
	if b.round.left == 0 {
		return permit{}, false
	}
	b.round.left--
	return permit{b.term, b.round.n}, true
}

func (b *breaker) leave(p permit, v verdict) {
	if b == nil {
		return
	}
	b.mu.Lock()
	opens := false
	late := p.round != b.round.n // of a round that was given up
	switch {
	case p.term != b.term:
	case b.status == stateClosed:
		opens = v != neither && b.tooMany(v)
	case v == failing:
		opens = !late
	default:
		if v == healthy { // also late: slow, but an answer
			b.good++
		}
		if !late {
			b.round.left++
		}
	}
	switch {
	case opens:
		b.change(stateOpen)
	case b.good == breakerProbes:
		b.change(stateClosed)
	}
	b.mu.Unlock()
	if opens {
		b.opened()
	}
}

// tooMany counts a call of a closed breaker, and reports whether too many of the window's have failed. The breaker is locked.
func (b *breaker) tooMany(v verdict) bool {
	part := int64(time.Since(b.since) / max(b.config.Window/windowParts, 1))
	now := &b.window[part%windowParts]
	if now.part != part {
		*now = tally{part: part}
	}
	now.calls++
	if v == failing {
		now.failures++
	}
	calls, failures := 0, 0
	for _, t := range b.window {
		if t.part > part-windowParts {
			calls, failures = calls+t.calls, failures+t.failures
		}
	}
	return calls >= b.config.Calls && failures*100 >= calls*b.config.Percent
}

// state is closed, open or half-open.
func (b *breaker) state() string {
	if b == nil {
		return stateClosed
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status
}
