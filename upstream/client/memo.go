package client

import (
	"errors"
	"sync"
)

// errPanicked is the error for callers that wait for a call of another goroutine, if that goroutine panics.
var errPanicked = errors.New("the call panicked")

// memo memoizes the calls of an operation, with their results and errors. Key: the URL of the call. Bound: the number
// of calls that the operation may make. It ends with the session.
type memo struct {
	mu    sync.Mutex
	calls map[string]*memoized
}

// memoized is a call, with its result when it is done.
type memoized struct {
	done chan struct{}
	body []byte
	err  error
}

// Memoize makes each call of the operation at most once. It must be called before the first call.
func (s *Session) Memoize() { s.memo = &memo{calls: map[string]*memoized{}} }

// do makes the call, or waits for the same call if another goroutine has begun it. own reports whether the caller may
// keep the body; it is false for all but the first caller. The others get panicked as their error if the call panics.
func (m *memo) do(target string, panicked error, call func() ([]byte, bool, error)) (body []byte, own bool, err error) {
	m.mu.Lock()
	entry, ok := m.calls[target]
	if !ok {
		entry = &memoized{done: make(chan struct{}), err: panicked}
		m.calls[target] = entry
	}
	m.mu.Unlock()
	if ok {
		<-entry.done // the contexts of an operation end together
		return entry.body, false, entry.err
	}
	defer close(entry.done)
	entry.body, own, entry.err = call()
	return entry.body, own, entry.err
}
