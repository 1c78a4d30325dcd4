package serve

import (
	"context"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/auth"
	"pixgraph/graph/apierror"
	"pixgraph/graph/guard/limits"
	"pixgraph/internal/delay"
	"pixgraph/serve/run"
)

const (
	// payWithin bounds the time for which a page waits for the rate limit of its caller.
	payWithin = time.Minute
	// patience bounds the time for which a page that fails is read again, in addition to the retries of each read. A
	// file of an hour survives the restart of an API; a person waits no longer for nothing.
	patience = time.Minute
	// firstPause is the time before a page is read again. It doubles with each failure.
	firstPause = time.Second
)

// patiently waits until the next page may be read, and reads it; again as long as that fails and may succeed later.
// While it waits, it holds only what the download holds between two pages, and the client can leave.
func (m *fileMaker) patiently(ctx context.Context, read func(context.Context) *graphql.Response) (failed *graphql.Response) {
	pause, left := firstPause, patience
	for {
		m.covered = false
		if err := m.await(ctx); err != nil {
			failed = m.show(ctx, err)
		} else if failed = read(ctx); failed == nil {
			return nil
		}
		reason := retryable(failed)
		if reason == nil || m.covered || m.left || ctx.Err() != nil {
			return failed
		}
		wait := max(min(pause, left), reason.RetryAfter)
		if left -= wait; left < 0 || wait == 0 {
			return failed
		}
		if m.progress(reason) != nil || !delay.Sleep(ctx, wait+delay.Random(nil).UpTo(firstPause/4)) { // not all downloads at once
			return m.show(ctx, m.ended(ctx))
		}
		pause *= 2
	}
}

// retryable returns why a page cannot be read, if it may be later, with the longest time to wait; nil otherwise.
func retryable(failed *graphql.Response) (reason *apierror.Error) {
	for _, err := range failed.Errors {
		e := apierror.Of(err)
		if e == nil || !e.Retryable {
			return nil
		}
		if reason == nil || e.RetryAfter > reason.RetryAfter {
			reason = e
		}
	}
	return reason
}

// await waits until the next page may be read: the caller pays for its calls, and the operation gets its slot again.
func (m *fileMaker) await(ctx context.Context) error {
	expired := m.call.Identity.Expiry()
	for waited := time.Duration(0); ; {
		wait := m.pay()
		if wait == 0 {
			break
		}
		if waited += wait; waited > payWithin {
			return limits.RateLimited(wait)
		}
		if !delay.Sleep(ctx, wait) {
			return m.ended(ctx)
		}
	}
	switch {
	case ctx.Err() != nil:
		return m.ended(ctx)
	case !expired.IsZero() && !time.Now().Before(expired):
		return &auth.Error{Reason: auth.ReasonExpired}
	}
	if !m.call.Slot.Retake(ctx, m.gateway.admitWithin()) {
		return run.ErrOverloaded
	}
	return nil
}

// pay pays for the calls of the next page, or of as many pages of a summary as are read at a time. Otherwise it returns
// the time to wait.
func (m *fileMaker) pay() (wait time.Duration) {
	limited, caller, address := m.gateway.limited, m.call.Caller(), m.call.Address
	if m.list != nil {
		return limited.PayInBackground(caller, address, m.call.Cost.UpstreamCalls)
	}
	m.walk.Pages, wait = limited.PayPart(caller, address, min(m.walk.Left, pagesAtOnce))
	return wait
}
