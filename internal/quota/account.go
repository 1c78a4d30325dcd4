package quota

import (
	"errors"
	"sync"
)

// ErrExhausted reports that a pool has no units left for a caller.
var ErrExhausted = errors.New("not enough memory for the request")

// step is the minimum number of bytes that an account takes from its pool at a time, so that a small request takes only
// once.
const step = 32 << 10

// Account is the part of the memory that one request holds: for its body, for the data that it read from the APIs, and
// for its response. It belongs to the request and all of its goroutines. A nil Account has no limits.
type Account struct {
	memory Memory
	caller string
	limits Limits

	mu        sync.Mutex
	received  int64 // bytes of the body so far
	receiving int64 // of the body, from memory.Bodies
	taken     int64 // from memory.Requests
	used      int64 // of taken
	reserved  int64 // of taken: what the request will probably use
	peak      int64 // of used, or twice that if a pool had no more
	unknown   bool  // whether its need was not known when it began
	read      int64
	answer    int64
	failed    error // why the response cannot be written
	released  bool
}

// Memory is the two pools of bytes that requests hold. Bodies that are being received have a separate pool. A slow body
// costs its sender nothing, and in forward mode does not even need a token that an API accepts (of those, all bodies
// together get an eighth of that pool), so slow bodies must not use the memory of running operations.
type Memory struct {
	Requests *Pool // of received requests: bodies, data from the APIs, responses
	Bodies   *Pool // of bodies that are being received

	reservations *Queue // for what requests will probably use, of Requests
}

// NewMemory returns pools of limit bytes in total; 0 is no limit.
func NewMemory(limit int64) Memory {
	const (
		bodies       = 8 // one part in eight is for bodies that are being received
		smallRequest = 1 << 20
		smallBody    = 64 << 10
	)
	return newMemory(NewPool(limit-limit/bodies, smallRequest), NewPool(limit/bodies, smallBody))
}

func newMemory(requests, bodies *Pool) Memory {
	return Memory{requests, bodies, requests.queue(0, requests.reserve)}
}

// Used returns the number of bytes held, and the number of refusals.
func (m Memory) Used() (bytes int64, refused uint64) {
	requests, refusedRequests := m.Requests.Used()
	bodies, refusedBodies := m.Bodies.Used()
	return requests + bodies, refusedRequests + refusedBodies
}

// NewAccount returns the account of a caller's request. Its owner calls Release at the end of the request.
func NewAccount(memory Memory, caller string, limits Limits) *Account {
	return &Account{memory: memory, caller: caller, limits: limits}
}

// Goroutine is the memory of a goroutine that waits for a call: its stack, its contexts, its results, as measured for
// root fields, links, loads and parts. An operation may start a thousand.
const Goroutine = 12 << 10

const (
	// bodyFactor is how many bytes of memory a byte of a body takes: in a buffer, and decoded.
	bodyFactor = 2
	// freeBody is how many bytes of a body are not counted; headers are not counted either. Most bodies are smaller, so
	// they are read even when slow bodies have exhausted the pool, and requests that wait for memory hold none.
	freeBody = 8 << 10
)

// Receive takes memory for bytes of the request's body while they arrive.
func (a *Account) Receive(bytes int) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.received += int64(bytes)
	more := bodyFactor*max(0, a.received-freeBody) - a.receiving
	if more > 0 && !a.memory.Bodies.Take(a.caller, more) {
		return ErrExhausted
	}
	a.receiving += max(0, more)
	return nil
}

// Received takes the memory of the complete body from the pool of requests, and returns its memory to the pool of
// bodies.
func (a *Account) Received() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.returnBody()
	return a.take(bodyFactor * max(0, a.received-freeBody))
}

func (a *Account) returnBody() {
	if a.receiving > 0 {
		a.memory.Bodies.Return(a.caller, a.receiving)
		a.receiving = 0
	}
}

// Take takes bytes of memory, or returns ErrExhausted.
func (a *Account) Take(bytes int) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.take(int64(bytes))
}

func (a *Account) take(bytes int64) error {
	if more := a.used + bytes - a.taken; more > 0 {
		more = max(more, step)
		if a.released || !a.memory.Requests.Take(a.caller, more) {
			a.peak = max(a.peak, 2*a.taken, a.memory.Requests.limit/failedPart)
			return ErrExhausted
		}
		a.taken += more
	}
	a.used += bytes
	a.peak = max(a.peak, a.used)
	return nil
}

// Return releases bytes that were taken.
func (a *Account) Return(bytes int) {
	if a == nil || bytes == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used -= int64(bytes)
	if spare := a.taken - max(a.used, a.reserved); spare > 2*step && !a.released {
		a.memory.Requests.Return(a.caller, spare-step)
		a.taken -= spare - step
	}
}

// Trim releases the memory that was taken in advance, while the request waits. It returns the number of bytes that the
// request still holds.
func (a *Account) Trim() int64 {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if spare := a.taken - a.used; spare > 0 && !a.released {
		a.memory.Requests.Return(a.caller, spare)
		a.taken = a.used
	}
	return a.taken
}

// Release returns everything to the pools. Later calls of Take, by a goroutine that outlives the request, are refused.
func (a *Account) Release() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.returnBody()
	if a.released = true; a.taken > 0 {
		a.memory.Requests.Return(a.caller, a.taken)
		a.taken = 0
	}
}
