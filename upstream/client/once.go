package client

import (
	"errors"
	"sync"
)

// errPanicked is the cause of a call that another goroutine of the operation made.
var errPanicked = errors.New("the call panicked")

// once lets an operation make each call once, whatever its result is. Key: the target of a call. Bound: the calls that
// an operation may make. It ends with the session.
type once struct {
	mu    sync.Mutex
	calls map[string]*onceCall
}

// onceCall is a call, with its result when it is done.
type onceCall struct {
	done chan struct{}
	body []byte
	err  error
}

// Once lets the operation make each call once. It must not have made calls yet.
func (s *Session) Once() { s.once = &once{calls: map[string]*onceCall{}} }

// do makes a call, or waits for the result of the same one. Only the first caller may own the body. panicked is the
// error of the others if the call panics.
func (o *once) do(target string, panicked error, call func() ([]byte, bool, error)) (body []byte, own bool, err error) {
	o.mu.Lock()
	made, ok := o.calls[target]
	if !ok {
		made = &onceCall{done: make(chan struct{}), err: panicked}
		o.calls[target] = made
	}
	o.mu.Unlock()
	if ok {
		<-made.done // the contexts of an operation end together
		return made.body, false, made.err
	}
	defer close(made.done)
	made.body, own, made.err = call()
	return made.body, own, made.err
}
