package quota

import (
	"context"
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
	pool   *Pool
	caller string
	limits Limits

	mu       sync.Mutex
	taken    int64 // from the pool
	used     int64 // of what was taken
	read     int64
	answer   int64
	failed   error // why the answer cannot be written
	released bool
}

// NewAccount returns the account of a request of a caller. Its owner calls Release at the end of the request.
func NewAccount(pool *Pool, caller string, limits Limits) *Account {
	return &Account{pool: pool, caller: caller, limits: limits}
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
		if a.released || !a.pool.Take(a.caller, more) {
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
		a.pool.Return(a.caller, spare-step)
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
// either is not to be had it reports false: then the answer as a whole fails, and Failed says why.
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

// WriteStep is how many bytes of the answer to count at a time: few beside the limit, and many beside a field.
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
	if a.released = true; a.taken > 0 {
		a.pool.Return(a.caller, a.taken)
		a.taken = 0
	}
}

// accountKey is the context key of a request's account.
type accountKey struct{}

// NewContext returns a context that carries the account.
func NewContext(ctx context.Context, account *Account) context.Context {
	return context.WithValue(ctx, accountKey{}, account)
}

// FromContext returns the account of the request in ctx, nil where there is none.
func FromContext(ctx context.Context) *Account {
	account, _ := ctx.Value(accountKey{}).(*Account)
	return account
}
