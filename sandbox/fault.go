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

// FaultKind is how a response is delivered or malformed.
type FaultKind string

// The kinds. A number that a kind needs has a default; see Fault. Kinds that
// change "the response" change the real one, or Status and Body if given.
const (
	// FaultNone sends the response in one write: use it with Latency, Gate, Status, Header, Body or Mutate.
	FaultNone FaultKind = ""
	// FaultReset resets the connection (TCP RST) before any byte of the response.
	FaultReset FaultKind = "reset"
	// FaultResetBody resets it after half of the body.
	FaultResetBody FaultKind = "reset-body"
	// FaultHang never responds. Like every wait here it ends when the client is
	// gone, when the fault is undone, and when the sandbox is closed; then the
	// connection is closed.
	FaultHang FaultKind = "hang"
	// FaultHangBody sends half of the body and hangs.
	FaultHangBody FaultKind = "hang-body"
	// FaultDrip sends the body byte by byte, at the given Interval.
	FaultDrip FaultKind = "drip"
	// FaultTruncate announces the whole body, sends Size bytes and closes.
	FaultTruncate FaultKind = "truncate"
	// FaultEmpty responds with 200 and no body.
	FaultEmpty FaultKind = "empty"
	// FaultHTML responds with 200 and an HTML page.
	FaultHTML FaultKind = "html"
	// FaultBadJSON sends the first half of the response as if it were complete.
	FaultBadJSON FaultKind = "bad-json"
	// FaultHuge streams valid JSON of Size bytes.
	FaultHuge FaultKind = "huge"
	// FaultGzipBomb sends valid JSON of Size bytes, about a thousandth of that
	// on the wire, whether or not the client accepts gzip.
	FaultGzipBomb FaultKind = "gzip-bomb"
	// FaultRedirect redirects to Location with Status, or 302.
	FaultRedirect FaultKind = "redirect"
)

// Fault makes calls fail. It matches a call if each of the fields Service,
// Route, ID, Token and Match that is set matches. Matching calls are recorded
// before the fault applies.
//
// Several faults that match the same call are combined in the order of
// injection: the call waits for all of them, each one changes the response of
// the previous one, and the last Kind that is not FaultNone delivers it.
type Fault struct {
	Service string                   // Core or Dispatcher
	Route   string                   // RouteDeposit, RouteWithdrawal, RouteTransaction or RouteNotification
	ID      string                   // the id in the path, or of the id parameter, in either case
	Token   string                   // the bearer token of the request
	Match   func(*http.Request) bool `json:"-"` // must not change the request

	After int // number of matching calls to skip
	Times int // number of matching calls that fail after that; 0 = until undone

	// Gate holds the call, after it was recorded, until a receive from it
	// succeeds: closing the channel releases all calls, sending releases one.
	Gate <-chan struct{} `json:"-"`
	// Latency delays the response.
	Latency time.Duration

	Status      int         // replaces the status; without Body also the body, by that of an error
	Header      http.Header // added to the headers of the response
	Body        []byte      // if not nil, replaces the body; the status becomes 200 if Status is 0
	ContentType string      // replaces the content type
	// Mutate changes the body, after Body has replaced it. It must not modify its argument, which is shared.
	Mutate func(body []byte) []byte `json:"-"`

	Kind     FaultKind
	Size     int64         // bytes: FaultTruncate (0 = half of the body), FaultHuge and FaultGzipBomb (0 = 256 MiB)
	Interval time.Duration // FaultDrip: 0 = 50 ms
	Location string        // FaultRedirect
}

// Inject makes matching calls fail, until undo is called or Times is reached.
// undo also releases the calls that the fault holds; calling it again does
// nothing. Inject panics on an invalid fault, such as one with an unknown
// route: that is a mistake in the test.
func (s *Sandbox) Inject(f Fault) (undo func()) {
	if err := f.validate(); err != nil {
		panic("sandbox: " + err.Error())
	}
	return s.faults.add(f)
}

// validate returns an error that names the invalid field.
func (f Fault) validate() error {
	switch {
	case f.Service != "" && f.Service != Core && f.Service != Dispatcher:
		return errors.New("service must be core or dispatcher")
	case f.Route != "" && !slices.Contains(routeNames(), f.Route):
		return errors.New("route must be one of " + strings.Join(routeNames(), ", "))
	case f.After < 0 || f.Times < 0 || f.Latency < 0 || f.Size < 0 || f.Interval < 0:
		return errors.New("after, times, latency, size and interval must not be negative")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return errors.New("status must be 200 to 599")
	}
	switch f.Kind {
	case FaultNone, FaultReset, FaultResetBody, FaultHang, FaultHangBody, FaultDrip, FaultTruncate, FaultEmpty,
		FaultHTML, FaultBadJSON, FaultHuge, FaultGzipBomb:
	case FaultRedirect:
		if f.Location == "" {
			return errors.New("a redirect needs a location")
		}
	default:
		return errors.New("kind is unknown")
	}
	return nil
}

// activeFault is an injected fault with its count.
type activeFault struct {
	Fault
	seen   int
	undone chan struct{}
}

// faults has the injected faults in order.
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

func (fs *faults) count() int {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return len(fs.list)
}

// remove ends the matching faults.
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

// take returns the faults that apply to this call, and counts the call. A fault
// that has reached Times stays in the list, so that undo can still release the
// calls that it holds.
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
	if f.Service != "" && f.Service != service || f.Route != "" && f.Route != to.route() {
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

// hold waits for the fault's gate and latency. It returns false if the call must not be answered.
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

// pause waits for d, or until the fault is undone. It returns false if the call must not be answered.
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
