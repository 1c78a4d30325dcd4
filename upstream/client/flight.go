package client

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"pixgraph/upstream"
)

// flights are the calls of a service that have not been sent yet, which identical calls can join: the same GET with the
// same token. A call that was sent cannot be joined: its response may be older than the question of a later call. So a
// response is kept only until the operations end that asked before it was requested.
//
//   - Key: the token and the target. The response depends on nothing else; apart from them, requests differ only in the
//     ids of tracing.
//   - Bound: the calls that wait, which are DefaultOperationConcurrency for each admitted operation (16,000 by
//     default), each of 200 bytes in addition to the token and the target, which its operation holds anyway. A response
//     has at most Config.MaxBody bytes, once for all calls that joined.
//   - Filled by: any caller, with each call that differs from those that wait.
//   - Emptied by: the first exchange of the call, or else its end, which its deadline bounds.
type flights struct {
	mu      sync.Mutex
	waiting map[flightKey]*flight
}

// worthSharing is the size of a response, in bytes, from which reading it takes many times longer than letting other
// goroutines run first, which may need the same response.
const worthSharing = 4 << 10

// depart ends the time in which calls can join a call.
func (f *flights) depart(r *request) {
	if r.flight == nil {
		return
	}
	key := r.flightKey()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting[key] == r.flight {
		delete(f.waiting, key)
	}
}

// flightKey identifies a call. It holds the token and not the caller: two tokens of one caller may have different
// permissions.
type flightKey struct{ bearer, target string }

func (r *request) flightKey() flightKey { return flightKey{r.session.Bearer, r.target} }

// flight is a call that one goroutine, the leader, makes, and whose result others wait for.
type flight struct {
	done    chan struct{} // closed at the end; nil without waiters
	waiters int
	body    []byte
	err     error
	shared  bool // whether the result holds for the waiters too
}

// join makes a call, or waits for an identical one that was not sent yet. own reports whether the body belongs to the
// caller alone. The cancellation of one caller does not fail the others: if the leader is cancelled, one of the waiters
// makes the call. So there are never more calls than without coalescing.
func (c *Client) join(ctx context.Context, r *request) (body []byte, own bool, err error) {
	s := r.endpoint.service
	key := r.flightKey()
	var (
		began   time.Time // of the wait
		expired <-chan time.Time
	)
	for {
		s.flights.mu.Lock()
		f := s.flights.waiting[key]
		if f == nil {
			f = &flight{}
			s.flights.waiting[key] = f
			s.flights.mu.Unlock()
			r.flight = f
			if r.endpoint.usualBody.Load() >= worthSharing {
				r.session.Turn.Yield()
			}
			return c.lead(ctx, r)
		}
		if f.done == nil {
			f.done = make(chan struct{})
		}
		f.waiters++
		s.flights.mu.Unlock()
		if began.IsZero() {
			began = time.Now()
			timer := time.NewTimer(time.Until(r.deadline))
			defer timer.Stop()
			expired = timer.C
		}
		var waitErr error
		select {
		case <-f.done:
		case <-ctx.Done():
			waitErr = ctx.Err()
		case <-expired:
			waitErr = context.DeadlineExceeded
		}
		if waitErr != nil {
			err := r.newError(classify(ctx, waitErr))
			c.observeCoalesced(ctx, r, began, nil, err)
			return nil, false, err
		}
		if f.shared {
			s.coalesced.Add(1)
			err := copyError(f.err)
			c.observeCoalesced(ctx, r, began, f.body, err)
			return f.body, false, err
		}
	}
}

// observeCoalesced notifies the observer of a call that waited for another one.
func (c *Client) observeCoalesced(ctx context.Context, r *request, began time.Time, body []byte, err error) {
	observer := r.session.Observer
	if observer == nil {
		return
	}
	status := http.StatusOK
	if failed := (*upstream.Error)(nil); errors.As(err, &failed) {
		status = failed.Status
	}
	observer.End(ctx, Exchange{
		Service: r.endpoint.service.name, Route: r.endpoint.route, Status: status, Err: err, Bytes: len(body), Coalesced: true,
		Start: began, Duration: time.Since(began), Waited: began.Sub(r.created),
	})
}

// lead makes the call for the leader and the calls that join meanwhile.
func (c *Client) lead(ctx context.Context, r *request) (body []byte, own bool, err error) {
	s, f := r.endpoint.service, r.flight
	defer func() {
		s.flights.depart(r)
		own = f.done == nil // no call can join any more
		if !own {
			r.session.Account.Return(cap(body)) // each reader of a shared body is charged for it by retain
			r.session.Account.Unread(len(body))
			close(f.done)
		}
	}()
	body, err = c.fetch(ctx, r)
	// The leader may have less time, memory or priority than the waiters. A failure for that reason concerns the leader
	// only.
	leaderOnly := err != nil &&
		(r.shortened && !time.Now().Before(r.deadline) || upstream.KindOf(err).Reaction().Unshared)
	f.body, f.err, f.shared = body, copyError(err), err == nil || ctx.Err() == nil && !leaderOnly
	return body, own, err
}

// copyError returns a copy of the error, because each caller may modify its own.
func copyError(err error) error {
	if failed, ok := err.(*upstream.Error); ok { //nolint:errorlint // fetch returns it unwrapped
		other := *failed
		return &other
	}
	return err
}
