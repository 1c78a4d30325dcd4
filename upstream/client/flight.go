package client

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"pixgraph/upstream"
)

// flights are the calls of a service under way that others may join: the same GET with the same token. This is no cache: a
// call that ended is not found any more, and its answer lives as long as the operations that joined it.
//
//   - Key: the token and the target. The answer depends on nothing else: the rest of a request is the same for all, but for
//     the ids of tracing.
//   - Bound: the calls under way, which are DefaultOperationConcurrency for each of the operations that are admitted
//     (16,000 by default), each of 200 bytes beside the token and the target, which its operation holds anyway. An answer
//     has DefaultMaxBody bytes, once for all that joined.
//   - Filled by: any caller, with each call that differs from those under way.
//   - Emptied by: the end of the call, which its deadline bounds.
type flights struct {
	mu    sync.Mutex
	under map[flightKey]*flight
}

// flightKey tells calls apart. It holds the token, not who the caller is: two tokens of one caller may differ in what they
// may read.
type flightKey struct{ bearer, target string }

// flight is a call that somebody makes and others may wait for.
type flight struct {
	done    chan struct{} // closed at the end; nil while nobody waits
	waiting int           // who joined
	raw     []byte
	err     error
	ended   bool // with an outcome that holds for all
}

// join makes a call, or waits for the same one of another. own tells whether nobody else reads the body. One who goes away
// does not take the others along: where it made the call, one of them makes it again, so that there are never more calls
// than those who asked.
func (c *Client) join(ctx context.Context, r *request) (raw []byte, own bool, err error) {
	s := r.call.service
	key := flightKey{r.session.Bearer, r.target}
	var (
		began time.Time // to wait
		late  <-chan time.Time
	)
	for {
		s.flights.mu.Lock()
		f := s.flights.under[key]
		if f == nil {
			f = &flight{}
			s.flights.under[key] = f
			s.flights.mu.Unlock()
			return c.lead(ctx, r, key, f)
		}
		if f.done == nil {
			f.done = make(chan struct{})
		}
		f.waiting++
		s.flights.mu.Unlock()
		if began.IsZero() {
			began = time.Now()
			timer := time.NewTimer(time.Until(r.deadline))
			defer timer.Stop()
			late = timer.C
		}
		var end error
		select {
		case <-f.done:
		case <-ctx.Done():
			end = ctx.Err()
		case <-late:
			end = context.DeadlineExceeded
		}
		if end != nil {
			err := r.call.failed(failure(ctx, end))
			c.coalesced(ctx, r, began, nil, err)
			return nil, false, err
		}
		if f.ended {
			s.joined.Add(1)
			err := copied(f.err)
			c.coalesced(ctx, r, began, f.raw, err)
			return f.raw, false, err
		}
	}
}

// coalesced tells of a call that was waited for instead of being made.
func (c *Client) coalesced(ctx context.Context, r *request, began time.Time, raw []byte, err error) {
	observer := r.session.Observer
	if observer == nil {
		return
	}
	status := http.StatusOK
	if failed := (*upstream.Error)(nil); errors.As(err, &failed) {
		status = failed.Status
	}
	observer.End(ctx, Exchange{
		Service: r.call.service.name, Route: r.call.route, Status: status, Err: err, Bytes: len(raw), Coalesced: true,
		Start: began, Duration: time.Since(began), Waited: began.Sub(r.asked),
	})
}

// lead makes the call, for itself and whoever joins meanwhile.
func (c *Client) lead(ctx context.Context, r *request, key flightKey, f *flight) (raw []byte, own bool, err error) {
	s := r.call.service
	defer func() {
		s.flights.mu.Lock()
		delete(s.flights.under, key)
		own = f.done == nil
		s.flights.mu.Unlock()
		if !own {
			close(f.done)
		}
	}()
	raw, err = c.fetch(ctx, r)
	// What came of having less time or memory than others is this one's own matter.
	ownMatter := r.hurried && !time.Now().Before(r.deadline) || upstream.KindOf(err) == upstream.KindOverloaded
	f.raw, f.err, f.ended = raw, copied(err), err == nil || ctx.Err() == nil && !ownMatter
	return raw, own, err
}

// copied is an error of its own for each who gets it: whoever asked may complete it.
func copied(err error) error {
	if failed, ok := err.(*upstream.Error); ok { //nolint:errorlint // what fetch returns is one, not wrapped
		one := *failed
		return &one
	}
	return err
}
