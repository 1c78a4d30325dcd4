package sandbox

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// FaultKind is how an answer is delivered or deformed.
type FaultKind string

// The kinds. Where a kind needs a number it has a default; see Fault. Those
// that deform "the answer" deform the real one, or Status and Body when given.
const (
	// FaultNone sends the answer in one piece: use it with Latency, Gate,
	// Status, Header, Body or Mutate.
	FaultNone FaultKind = ""
	// FaultReset resets the connection (TCP RST) before any byte of the answer.
	FaultReset FaultKind = "reset"
	// FaultResetBody resets it after half of the body.
	FaultResetBody FaultKind = "reset-body"
	// FaultHang never answers. It ends, as every wait here, when the client is
	// gone, when the fault is undone, and when the sandbox is closed; then the
	// connection is cut.
	FaultHang FaultKind = "hang"
	// FaultHangBody sends half of the body and hangs.
	FaultHangBody FaultKind = "hang-body"
	// FaultDrip sends the body byte by byte, Interval apart.
	FaultDrip FaultKind = "drip"
	// FaultTruncate promises the whole body, sends Size bytes and closes.
	FaultTruncate FaultKind = "truncate"
	// FaultEmpty answers 200 without a body.
	FaultEmpty FaultKind = "empty"
	// FaultHTML answers 200 with a page of HTML.
	FaultHTML FaultKind = "html"
	// FaultBadJSON sends the first half of the answer as if it were the whole.
	FaultBadJSON FaultKind = "bad-json"
	// FaultHuge streams valid JSON of Size bytes.
	FaultHuge FaultKind = "huge"
	// FaultGzipBomb sends valid JSON of Size bytes, about a thousandth of them
	// on the wire, whether or not the client accepts gzip.
	FaultGzipBomb FaultKind = "gzip-bomb"
	// FaultRedirect redirects to Location with Status, or 302.
	FaultRedirect FaultKind = "redirect"
)

// Fault makes calls go wrong. It matches a call when every one of the fields
// Service, Route, ID, Token and Match that is set does. Matching calls are
// recorded first, whatever the fault does to them.
//
// Several faults that match the same call add up in the order of injection:
// all their waits are waited, each changes the answer that the one before it
// left, and the last Kind that is not FaultNone delivers it.
type Fault struct {
	Service string                   // Core or Dispatcher
	Route   string                   // RouteDeposit, RouteWithdrawal, RouteTransaction or RouteNotification
	ID      string                   // the id in the path, or of the id parameter, in either case
	Token   string                   // the bearer, as it was sent
	Match   func(*http.Request) bool // must not change the request

	After int // matching calls that are let through first
	Times int // matching calls that it breaks then; 0 = until undone

	// Gate holds the call, after it was recorded, until something can be
	// received: closing the channel releases all calls, sending releases one.
	Gate <-chan struct{}
	// Latency holds the call for so long before it is answered.
	Latency time.Duration

	Status      int         // replaces the status; alone also the body, by that of an error
	Header      http.Header // set on the answer, the real one too
	Body        []byte      // not nil: replaces the body; the status becomes 200 if Status is 0
	ContentType string      // replaces the type
	// Mutate changes the body, after Body has replaced it. It must not write to
	// its argument, which others read.
	Mutate func(body []byte) []byte

	Kind     FaultKind
	Size     int64         // bytes: FaultTruncate (0 = half of the body), FaultHuge and FaultGzipBomb (0 = 256 MiB)
	Interval time.Duration // FaultDrip: 0 = 50 ms
	Location string        // FaultRedirect
}

// Inject makes matching calls go wrong from now on, until undo is called or
// Times is used up. Calling undo again does nothing; it releases the calls
// that the fault holds. It panics on a fault that no call could ever show,
// such as one of an unknown route: that is a mistake in the test.
func (s *Sandbox) Inject(f Fault) (undo func()) {
	if err := f.validate(); err != nil {
		panic("sandbox: " + err.Error())
	}
	return s.faults.add(f)
}

// validate names the field that makes no sense.
func (f Fault) validate() error {
	switch {
	case f.Service != "" && f.Service != Core && f.Service != Dispatcher:
		return errors.New("service must be core or dispatcher")
	case f.Route != "" && !slices.Contains([]string{RouteDeposit, RouteWithdrawal, RouteTransaction, RouteNotification}, f.Route):
		return errors.New("route must be deposit, withdrawal, transaction or request")
	case f.After < 0 || f.Times < 0 || f.Latency < 0 || f.Size < 0 || f.Interval < 0:
		return errors.New("after, times, latency, size and interval must not be negative")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return errors.New("status must be 200 to 599")
	}
	switch f.Kind {
	case FaultNone, FaultReset, FaultResetBody, FaultHang, FaultHangBody, FaultDrip, FaultTruncate, FaultEmpty,
		FaultHTML, FaultBadJSON, FaultHuge, FaultGzipBomb:
		return nil
	case FaultRedirect:
		if f.Location == "" {
			return errors.New("a redirect needs a location")
		}
		return nil
	}
	return errors.New("kind is unknown")
}

// activeFault is an injected fault with its count.
type activeFault struct {
	Fault
	seen   int
	undone chan struct{}
}

// faults is the injected faults in order.
type faults struct {
	mu   sync.Mutex
	list []*activeFault
}

func (fs *faults) add(f Fault) (undo func()) {
	f.Header = f.Header.Clone()
	f.Body = slices.Clone(f.Body)
	active := &activeFault{Fault: f, undone: make(chan struct{})}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.list = append(fs.list, active)
	return func() { fs.remove(func(a *activeFault) bool { return a == active }) }
}

// remove ends the faults that match.
func (fs *faults) remove(match func(*activeFault) bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.list = slices.DeleteFunc(fs.list, func(a *activeFault) bool {
		if !match(a) {
			return false
		}
		close(a.undone)
		return true
	})
}

// take returns the faults that break this call, and counts it. A fault that
// is used up stays in the list, so that undo can still release what it holds.
func (fs *faults) take(service string, to target, r *http.Request) []*activeFault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var active []*activeFault
	for _, a := range fs.list {
		if !a.matches(service, to, r) {
			continue
		}
		a.seen++
		if a.seen > a.After && (a.Times == 0 || a.seen <= a.After+a.Times) {
			active = append(active, a)
		}
	}
	return active
}

func (f *Fault) matches(service string, to target, r *http.Request) bool {
	if f.Service != "" && f.Service != service || f.Route != "" && f.Route != to.route {
		return false
	}
	if f.ID != "" && !strings.EqualFold(f.ID, to.id) && !strings.EqualFold(f.ID, r.URL.Query().Get("id")) {
		return false
	}
	if f.Token != "" {
		if token, ok := bearer(r.Header); !ok || token != f.Token {
			return false
		}
	}
	return f.Match == nil || f.Match(r)
}

// hold waits for the fault's gate and latency. It is false when there is
// nobody left to answer.
func (s *Sandbox) hold(ctx context.Context, f *activeFault) bool {
	if f.Gate != nil {
		select {
		case <-f.Gate:
		case <-f.undone:
		case <-ctx.Done():
			return false
		case <-s.stopped:
			return false
		}
	}
	return f.Latency == 0 || s.pause(ctx, f, f.Latency)
}

// pause waits for d, or less when the fault is undone. It is false when there
// is nobody left to answer.
func (s *Sandbox) pause(ctx context.Context, f *activeFault, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-f.undone:
	case <-ctx.Done():
		return false
	case <-s.stopped:
		return false
	}
	return true
}
