package client

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
	"pixgraph/upstream/wire"
)

// Operation is what the calls of one GraphQL operation have in common: the caller, the headers, and the limits.
type Operation struct {
	// Bearer is the caller's token. It is sent only to the base URLs of the two services.
	Bearer string
	// Caller distinguishes callers, for fairness between them; it is not a name. If it is "", the caller is unknown and
	// its calls are not coalesced.
	Caller   string
	Share    string // the key of the caller in what callers share; "" for Caller
	Header   Header
	Observer Observer       // nil for none
	Account  *quota.Account // charged for the memory of responses; nil for no limit
	Turn     *quota.Turn    // of the goroutines that make the calls; nil for none
	// Calls bounds the calls in flight of several operations together; nil for a bound of this operation.
	Calls    quota.Semaphore
	Deadline time.Time // of all calls, in addition to the timeout of each; the zero time for none
	// ClientDeadline says that the client of the gateway chose the deadline. A timeout is then no failure of the
	// service.
	ClientDeadline bool
	// Background says that no person waits for the calls. They are made only if no other call has to wait for them, and
	// are not retried.
	Background bool
	// Seen is the digest of the last response to the same call, and is replaced by that of the new one. A call whose
	// response has not changed fails with ErrUnchanged; the response is not parsed. Nil for an operation that needs
	// every response.
	Seen *Digest
}

// Digest is the SHA-256 of a response. The zero value is that of none.
type Digest [sha256.Size]byte

// ErrUnchanged is the error of a call whose response equals the one that the caller has seen.
var ErrUnchanged = errors.New("the response has not changed")

// Header holds the headers of a call in addition to the token. An empty field is not sent.
type Header struct {
	RequestID   string // X-Request-Id
	TraceParent string // Traceparent, of W3C Trace Context
}

// Observer is notified of the exchanges of an operation. Its methods run in the goroutine of the call, with the context
// of the call; they must not block.
type Observer interface {
	// Begin is called before an exchange. It gets the header of the operation, and returns the header to send. It may
	// extend the context.
	Begin(context.Context, Header) (context.Context, Header)
	// End is called after an exchange with the context from Begin, and after a coalesced call, for which Begin is not
	// called.
	End(context.Context, Exchange)
}

// Session makes the calls of one operation. They share a limit of concurrent calls, and the memory of their responses,
// which End releases. The garbage collector frees a session that never ends.
//
// The deadline of an operation is not in a context, since each operation would need a timer. Only a call that waits
// needs one.
type Session struct {
	Operation
	client *Client
	shared *shared
	replay []*shared // the calls whose responses are used again
	memo   *memo     // nil if equal calls are not memoized
}

// shared is the state that all calls of an operation share.
type shared struct {
	semaphore quota.Semaphore
	opened    time.Time

	mu        sync.Mutex
	readers   int // calls that may still read responses
	ended     bool
	responses []retained
	first     [1]retained // has room for that of most operations
}

// Open returns the session of a new operation.
func (c *Client) Open(operation Operation) *Session {
	if operation.Calls == nil {
		operation.Calls = make(quota.Semaphore, c.config.OperationConcurrency)
	}
	opened := &struct { // one allocation
		Session
		shared
	}{
		Session{Operation: operation, client: c},
		shared{semaphore: operation.Calls, opened: time.Now()},
	}
	opened.Session.shared, opened.responses = &opened.shared, opened.first[:0]
	return &opened.Session
}

// With returns a session of the same operation with another observer.
func (s *Session) With(observer Observer) *Session {
	other := *s
	other.Observer = observer
	return &other
}

// Part returns a session of the same operation whose End releases the memory of its own calls only, before the
// operation ends.
func (s *Session) Part() *Session {
	part := *s
	part.shared = &shared{semaphore: s.shared.semaphore, opened: s.shared.opened}
	part.memo = nil // its responses do not last until the operation ends
	return &part
}

// Replay makes the session get the response of each call that another one made, instead of making the call again. It
// must end before the other one does, and it must not have made calls yet.
func (s *Session) Replay(of *Session) { s.replay = append(s.replay, of.shared) }

// response returns the body of an earlier call, or nil without one.
func (s *shared) response(target string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.responses {
		if r.target == target {
			return r.read
		}
	}
	return nil
}

// drop forgets the responses.
func (s *shared) drop() { s.ended, s.responses, s.first[0] = true, nil, retained{} }

// retained is the memory of a response: its body and its index.
type retained struct {
	target  string
	read    []byte // the body
	body    []byte // the body, if no other operation reads it
	value   wire.Value
	charged int // bytes of the account
}

// earlierDeadline returns the earlier of the deadlines of the call and of the operation. shortened reports whether it
// is that of the operation.
func (s *Session) earlierDeadline(deadline time.Time) (earlier time.Time, shortened bool) {
	if s.Deadline.IsZero() || !s.Deadline.Before(deadline) {
		return deadline, false
	}
	return s.Deadline, true
}

// beginReading marks a call as a reader of responses, so that End does not release their memory before endReading.
func (s *Session) beginReading() {
	s.shared.mu.Lock()
	s.shared.readers++
	s.shared.mu.Unlock()
}

func (s *Session) endReading() {
	s.shared.mu.Lock()
	s.shared.readers--
	s.shared.mu.Unlock()
}

// unchanged reports whether the operation has seen a response, and releases its memory in that case.
func (s *Session) unchanged(body []byte, own bool) bool {
	if s.Seen == nil {
		return false
	}
	last := *s.Seen
	*s.Seen = sha256.Sum256(body)
	if *s.Seen != last {
		return false
	}
	if own {
		s.Account.Return(cap(body)) // http1 has charged it while reading
		buffer.Put(body)
	}
	return true
}

// retain makes the session the owner of the memory of a response: of the index, and of the body unless other operations
// read it too. The garbage collector frees a shared body, which each of its readers is charged for. retain fails if the
// account does not allow that much memory.
func (s *Session) retain(target string, body []byte, own bool, value wire.Value) error {
	r := retained{target, body, body, value, value.Memory()}
	if !own {
		r.body, r.charged = nil, r.charged+len(body)
		if err := s.Account.Read(len(body)); err != nil {
			return err
		}
	}
	if err := s.Account.Take(r.charged); err != nil {
		return err
	}
	r.charged += cap(r.body) // http1 has charged it while reading
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	if !s.shared.ended {
		s.shared.responses = append(s.shared.responses, r)
	}
	return nil
}

// Abandon leaves the memory of the session to the garbage collector. It is for use after a panic, when goroutines may
// still read that memory.
func (s *Session) Abandon() {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.drop()
}

// End releases the memory of the session. After End, records of the session and values that point into them must not be
// used; copies may be. If a call is still in flight because its caller did not wait for it, its goroutine may still
// read: then the memory is left to the garbage collector, and responses that arrive later are not retained.
func (s *Session) End() {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	if s.shared.readers == 0 && !s.shared.ended {
		charged, read := 0, 0
		for _, r := range s.shared.responses {
			r.value.Release()
			buffer.Put(r.body)
			charged += r.charged
			read += len(r.read)
		}
		s.Account.Return(charged)
		s.Account.Unread(read)
	}
	s.shared.drop()
}
