package client

import (
	"context"
	"sync"
	"time"

	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
	"pixgraph/upstream/wire"
)

// Operation is what the calls of one GraphQL operation have in common: for whom they are made, what they carry, and what
// they may take.
type Operation struct {
	// Bearer is the caller's token. It is sent to the base URLs of the two services and nowhere else.
	Bearer string
	// Caller tells callers apart, for fairness between them; it is not a name. The calls of an unknown caller, "", are not
	// coalesced.
	Caller   string
	Header   Header
	Observer Observer       // nil for none
	Account  *quota.Account // bounds the memory of what is read; nil for no bound
	Deadline time.Time      // of all calls, next to the timeout of each; the zero time for none
}

// Header is what a call carries besides the token. An empty field is not sent.
type Header struct {
	RequestID   string // X-Request-Id
	TraceParent string // Traceparent, of W3C Trace Context
}

// Observer is notified of the exchanges of an operation. The goroutine of the call calls it with the context of the call; it
// must not block.
type Observer interface {
	// Begin is called before an exchange, and returns the header that it carries, given that of the operation.
	Begin(context.Context, Header) Header
	// End is called after an exchange, and after waiting for a coalesced one, which has no Begin.
	End(context.Context, Exchange)
}

// Session makes the calls of one operation. They share a bound on how many are under way at the same time, and their
// memory, which End releases. A session that never ends is collected as any other memory.
//
// The deadline of an operation is no context's: one would cost every operation a timer, and only a call that waits needs
// one.
type Session struct {
	Operation
	client *Client
	shared *shared
}

// shared is what all calls of an operation share.
type shared struct {
	turns turns

	mu    sync.Mutex
	busy  int // calls that may still read what they asked for
	ended bool
	read  []answer
}

// Open begins the calls of an operation.
func (c *Client) Open(operation Operation) *Session {
	return &Session{operation, c, &shared{turns: make(turns, c.config.OperationConcurrency)}}
}

// With returns the session of the same operation for calls that have another observer.
func (s *Session) With(observer Observer) *Session {
	other := *s
	other.Observer = observer
	return &other
}

// answer is a body and what was found in it.
type answer struct {
	body  []byte
	value wire.Value
	taken int // bytes of the account
}

// before is a call's deadline, or the operation's where that is earlier.
func (s *Session) before(deadline time.Time) (earlier time.Time, hurried bool) {
	if s.Deadline.IsZero() || !s.Deadline.Before(deadline) {
		return deadline, false
	}
	return s.Deadline, true
}

// begin says that a call is going to read answers; done says that it has read them.
func (s *Session) begin() {
	s.shared.mu.Lock()
	s.shared.busy++
	s.shared.mu.Unlock()
}

func (s *Session) done() {
	s.shared.mu.Lock()
	s.shared.busy--
	s.shared.mu.Unlock()
}

// keep takes an answer's memory into the operation: what was found in a body, and the body unless others read it too. A
// body of several is collected as any other memory. It fails where the request may not hold that much.
func (s *Session) keep(body []byte, own bool, value wire.Value) error {
	a := answer{body, value, value.Memory()}
	if !own {
		a.body, a.taken = nil, a.taken+len(body)
	}
	if err := s.Account.Take(a.taken); err != nil {
		return err
	}
	a.taken += cap(a.body) // was taken as it was read
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	if !s.shared.ended {
		s.shared.read = append(s.shared.read, a)
	}
	return nil
}

// Abandon keeps the memory of the session from being pooled: after a panic it may still be read.
func (s *Session) Abandon() {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.ended, s.shared.read = true, nil
}

// End releases the memory. After it no record that was read in the session may be used any more, nor anything that was read
// from one but copies. A call that is still under way, since its caller did not wait, reads on: then nothing is pooled, and
// what comes later is kept nowhere.
func (s *Session) End() {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	if s.shared.busy == 0 && !s.shared.ended {
		for _, a := range s.shared.read {
			a.value.Release()
			buffer.Put(a.body)
			s.Account.Return(a.taken)
		}
	}
	s.shared.ended, s.shared.read = true, nil
}
