package quota

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits bound how much one request may read and write, in bytes; 0 is no limit.
type Limits struct {
	Read   int64 // bodies from the APIs, after decompression, without those that were released
	Answer int64 // the data of the response
}

// The names of Exceeded.Limit.
const (
	LimitRead   = "readBytes"
	LimitAnswer = "answerBytes"
)

// Exceeded reports that a request read or wrote more than it may.
type Exceeded struct {
	Limit string // one of the names above
	Max   int64  // bytes
}

// Error implements error.
func (e *Exceeded) Error() string {
	if e.Limit == LimitRead {
		return fmt.Sprintf("the operation reads more than %d bytes from the APIs: request fewer records", e.Max)
	}
	return fmt.Sprintf("the response has more than %d bytes: request fewer records or fields", e.Max)
}

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
}

// NewMemory returns pools of limit bytes in total; 0 is no limit.
func NewMemory(limit int64) Memory {
	const (
		bodies       = 8 // one part in eight is for bodies that are being received
		smallRequest = 1 << 20
		smallBody    = 64 << 10
	)
	return Memory{NewPool(limit-limit/bodies, smallRequest), NewPool(limit/bodies, smallBody)}
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

const (
	// bodyFactor is how many bytes of memory a byte of a body takes: in a buffer, and decoded.
	bodyFactor = 2
	// freeBody is how many bytes of a body are not counted while it is received; headers are not counted either. Most
	// bodies are smaller, so they are read even when slow bodies have exhausted the pool.
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
	return a.take(bodyFactor * a.received)
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

const (
	// reservedPart is the divisor of the part of a pool that a request may reserve.
	reservedPart = 4
	// failedPart is that of what a request needs at least that got no memory: little compared to what there is next to
	// a caller that holds its share.
	failedPart = 32
	// learnWithin is how long a request waits for the first ones of its caller, to know what it will need.
	learnWithin = 100 * time.Millisecond
	// guessWithin is how long a request waits for memory whose need is not known, because it may need less.
	guessWithin = time.Second
)

// Reserve takes the memory that a request will probably use, before it has taken any but that of its body: usual, or as
// much as other requests of its caller if usual is 0. It waits for requests of its caller that run, until there is
// enough. So if many requests need more than there is, they run one after the other, and do not fail when they have
// done most of their work. Requests that wait do not wait for each other.
func (a *Account) Reserve(ctx context.Context, usual int64, within time.Duration) error {
	if a == nil || a.memory.Requests.limit == 0 {
		return nil
	}
	need := usual
	if a.unknown = usual == 0; a.unknown {
		if a.Take(1) == nil { // the caller is known while it holds memory
			defer a.Return(1)
		}
		await(ctx, learnWithin, func() (known bool) {
			need, known = a.memory.Requests.expect(a.caller)
			return known
		})
	}
	a.mu.Lock()
	held := a.taken
	a.mu.Unlock()
	more := min(need*5/4, a.memory.Requests.limit/reservedPart) - held // the next execution may need a little more
	if more <= step {
		return nil
	}
	a.memory.Requests.waits(a.caller, held)
	defer a.memory.Requests.waits(a.caller, -held)
	if a.unknown {
		within = min(within, guessWithin)
	}
	var taken int64
	reserved := await(ctx, within, func() (ok bool) {
		taken, ok = a.memory.Requests.reserve(a.caller, more)
		return ok
	})
	if !reserved && !a.unknown {
		return ErrExhausted
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.released {
		a.memory.Requests.Return(a.caller, taken)
		return ErrExhausted
	}
	a.taken += taken
	a.reserved = a.used + taken
	return nil
}

// Executed ends the reservation, and returns the maximum number of bytes that the request has held, or more if it
// needed more than it got.
func (a *Account) Executed() (peak int64) {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.reserved = 0; a.unknown {
		a.memory.Requests.learn(a.caller, a.peak)
	}
	return a.peak
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

// Trim releases the memory that was taken in advance, while the request waits.
func (a *Account) Trim() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if spare := a.taken - a.used; spare > 0 && !a.released {
		a.memory.Requests.Return(a.caller, spare)
		a.taken = a.used
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

// Unread subtracts bytes of a body that was released before the end of the request.
func (a *Account) Unread(bytes int) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.read -= int64(bytes)
}

// Write counts bytes of the response before they are written (Unwrite subtracts those that were not), and takes memory.
// If either limit is reached, it returns false: then the whole response fails, and Failed returns the reason.
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

// Unwrite subtracts bytes of the response that were counted and not written.
func (a *Account) Unwrite(bytes int) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer -= int64(bytes)
}

// WriteStep returns the number of bytes of the response to count at a time: few compared to the limit, many compared to
// a field.
func (a *Account) WriteStep() int {
	const maximum, part = 64 << 10, 256
	if a == nil || a.limits.Answer == 0 {
		return maximum
	}
	return int(max(1, min(maximum, a.limits.Answer/part)))
}

// Failed returns why the response cannot be written: an *Exceeded, ErrExhausted, or nil.
func (a *Account) Failed() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
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
