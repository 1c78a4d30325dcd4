package quota

import "fmt"

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
