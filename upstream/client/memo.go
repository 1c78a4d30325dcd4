package client

import (
	"errors"
	"sync"
)

// errPanicked is the cause of a call that another goroutine of the operation made.
var errPanicked = errors.New("the call panicked")

// memo memoizes the calls of an operation, with their results and errors. Key: the target of a call. Bound: the calls
// that an operation may make. It ends with the session.
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

// do makes a call, or waits for the result of the same one. Only the first caller may own the body. panicked is the
// error of the others if the call panics.
func (m *memo) do(target string, panicked error, call func() ([]byte, bool, error)) (body []byte, own bool, err error) {
	m.mu.Lock()
	made, ok := m.calls[target]
	if !ok {
		made = &memoized{done: make(chan struct{}), err: panicked}
		m.calls[target] = made
	}
	m.mu.Unlock()
	if ok {
		<-made.done // the contexts of an operation end together
		return made.body, false, made.err
	}
	defer close(made.done)
	made.body, own, made.err = call()
	return made.body, own, made.err
}
