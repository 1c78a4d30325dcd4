package quota

import (
	"errors"
	"fmt"
	"sync"
)

// Limits bound what one request may read and write, in bytes; 0 for no bound.
type Limits struct {
	Read   int64 // bodies of the APIs, after decompression
	Answer int64 // the data of the answer
}

// The names of Exceeded.Limit.
const (
	LimitRead   = "readBytes"
	LimitAnswer = "answerBytes"
)

// Exceeded says that a request read or wrote more than it may.
type Exceeded struct {
	Limit string // one of the names above
	Max   int64  // bytes
}

// Error implements error.
func (e *Exceeded) Error() string {
	if e.Limit == LimitRead {
		return fmt.Sprintf("the operation reads more than %d bytes from the APIs: ask for fewer records at a time", e.Max)
	}
	return fmt.Sprintf("the answer has more than %d bytes: ask for fewer records or fields at a time", e.Max)
}

// ErrExhausted says that a pool has nothing left for a caller at the moment.
var ErrExhausted = errors.New("too much memory is held by requests at the moment")

// step is how many bytes an account takes from its pool at a time, at least: a small request takes once.
const step = 32 << 10

// Account is what one request holds of a pool of bytes: its body, what it read from the APIs, its answer. It belongs to the
// request and to all of its goroutines. A nil Account bounds nothing.
type Account struct {
	memory Memory
	caller string
	limits Limits

	mu       sync.Mutex
	coming   int64 // bytes of the body so far
	waiting  int64 // of them, those taken from memory.Bodies
	taken    int64 // from memory.Requests
	used     int64 // of what was taken
	read     int64
	answer   int64
	failed   error // why the answer cannot be written
	released bool
}

// Memory is the two pools of bytes that requests hold. What is on its way is apart from what runs: it costs its sender
// nothing to stop, and in forward mode not even a token that some API accepts, so that slow bodies may take no memory of
// operations.
type Memory struct {
	Requests *Pool // that have been read: bodies, what the APIs sent, answers
	Bodies   *Pool // that are being read
}

// NewMemory returns pools of so many bytes together; 0 for no bound.
func NewMemory(limit int64) Memory {
	const (
		bodies       = 8 // a part of the whole is for bodies that are being read
		smallRequest = 1 << 20
		smallBody    = 64 << 10
	)
	return Memory{NewPool(limit-limit/bodies, smallRequest), NewPool(limit/bodies, smallBody)}
}

// Used is how many bytes are held, and how often more was refused.
func (m Memory) Used() (bytes int64, refused uint64) {
	requests, refusedRequests := m.Requests.Used()
	bodies, refusedBodies := m.Bodies.Used()
	return requests + bodies, refusedRequests + refusedBodies
}

// NewAccount returns the account of a request of a caller. Its owner calls Release at the end of the request.
func NewAccount(memory Memory, caller string, limits Limits) *Account {
	return &Account{memory: memory, caller: caller, limits: limits}
}

const (
	// bodyFactor is how many bytes a byte of a body takes: in a buffer, and decoded.
	bodyFactor = 2
	// freeBody is how many bytes of a body are not counted while it is read, as those of headers are not: most bodies have
	// no more, and are read whoever else is slow.
	freeBody = 8 << 10
)

// Receive takes memory for bytes of the request's body, as they come.
func (a *Account) Receive(bytes int) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.coming += int64(bytes)
	more := bodyFactor*max(0, a.coming-freeBody) - a.waiting
	if more > 0 && !a.memory.Bodies.Take(a.caller, more) {
		return ErrExhausted
	}
	a.waiting += max(0, more)
	return nil
}

// Received takes the memory of the whole body, which stays with the request, and returns that of a body on its way.
func (a *Account) Received() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.returnBody()
	return a.take(bodyFactor * a.coming)
}

func (a *Account) returnBody() {
	if a.waiting > 0 {
		a.memory.Bodies.Return(a.caller, a.waiting)
		a.waiting = 0
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
			return ErrExhausted
		}
		a.taken += more
	}
	a.used += bytes
	return nil
}

// Return returns bytes that were taken.
func (a *Account) Return(bytes int) {
	if a == nil || bytes == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used -= int64(bytes)
	if spare := a.taken - a.used; spare > 2*step && !a.released {
		a.memory.Requests.Return(a.caller, spare-step)
		a.taken -= spare - step
	}
}

// Read counts bytes of a body, or returns an *Exceeded.
func (a *Account) Read(bytes int) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.read += int64(bytes); a.limits.Read > 0 && a.read > a.limits.Read {
		return &Exceeded{LimitRead, a.limits.Read}
	}
	return nil
}

// Write counts bytes of the answer that are going to be written (Unwrite takes back what was not), and takes memory. When
// either is exhausted it reports false: then the answer as a whole fails, and Failed says why.
func (a *Account) Write(bytes, memory int) bool {
	if a == nil {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed != nil {
		return false
	}
	if a.answer += int64(bytes); a.limits.Answer > 0 && a.answer > a.limits.Answer {
		a.failed = &Exceeded{LimitAnswer, a.limits.Answer}
		return false
	}
	a.failed = a.take(int64(memory))
	return a.failed == nil
}

// Unwrite takes back bytes of the answer that were counted and not written.
func (a *Account) Unwrite(bytes int) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer -= int64(bytes)
}

// Written is how many bytes of the answer were counted.
func (a *Account) Written() int {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return int(a.answer)
}

// WriteStep is how many bytes of the answer to count at a time: few compared with the limit, many compared with a field.
func (a *Account) WriteStep() int {
	const most, part = 64 << 10, 256
	if a == nil || a.limits.Answer == 0 {
		return most
	}
	return int(max(1, min(most, a.limits.Answer/part)))
}

// Failed is why the answer cannot be written: an *Exceeded, ErrExhausted, or nil.
func (a *Account) Failed() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}

// Release returns everything to the pool. What a goroutine that outlives the request takes later is refused.
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
