package client

import (
	"context"
	"errors"
	"net/http"
	"time"

	"pixgraph/internal/netcause"
	"pixgraph/upstream"
	"pixgraph/upstream/http1"
)

// request is one call on its way through the protections of services and callers: of which session, and until when.
type request struct {
	session  *Session
	call     *call
	target   string
	asked    time.Time
	deadline time.Time
	hurried  bool // whether the deadline is the operation's, which is earlier than the call's own
}

// fetch makes a call, and makes it again where that may help: when no whole answer came, or one that says to try again. It
// does so at most Config.Retries times, within the deadline and the service's budget. http1's own second attempt over a new
// connection counts as one.
func (c *Client) fetch(ctx context.Context, r *request) ([]byte, error) {
	s := r.call.service
	s.budget.earn()
	sent := 0
	for {
		answer, err := c.attempt(ctx, r, sent)
		sent += answer.Attempts
		if err == nil || answer.Attempts == 0 || sent > c.config.Retries {
			return answer.Body, err
		}
		pause, again := c.pauseAfter(err, sent)
		if !again || ctx.Err() != nil || !inTime(ctx, r.deadline, pause) || !s.budget.spend() {
			return nil, err
		}
		s.retries.Add(1)
		if !sleep(ctx, pause) {
			kind, cause := failure(ctx, ctx.Err())
			return nil, r.call.failed(kind, cause)
		}
		r.asked = time.Now()
	}
}

// The pauses before a call is made again: long enough for a balancer to notice, short beside what a person waits. The
// second is twice the first, and so on; each is cut by up to a half at random, so that calls that failed together do not
// come back together.
const (
	firstPause = 50 * time.Millisecond
	mostPause  = 2 * time.Second
)

// pauseAfter tells whether a call that failed may be made again, and after what time. A 500 is not made again: it is what
// a record looks like that the service cannot serve. A 429 is made again only where it says when.
func (c *Client) pauseAfter(err error, sent int) (pause time.Duration, again bool) {
	var failed *upstream.Error
	if !errors.As(err, &failed) {
		return 0, false
	}
	pause = min(firstPause<<min(sent-1, 10), mostPause)
	pause -= time.Duration(c.config.Random() * float64(pause/2))
	switch failed.Status {
	case 0:
		return pause, failed.Kind == upstream.KindUnavailable && !errors.Is(failed, netcause.ErrCertificate)
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return max(pause, failed.RetryAfter), true
	case http.StatusTooManyRequests:
		return max(pause, failed.RetryAfter), failed.RetryAfter > 0
	default:
		return 0, false
	}
}

// inTime reports whether there is time left after a pause.
func inTime(ctx context.Context, deadline time.Time, pause time.Duration) bool {
	if own, ok := ctx.Deadline(); ok && own.Before(deadline) {
		deadline = own
	}
	return pause < time.Until(deadline)
}

// sleep waits, and reports whether the context lasted.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// attempt makes a call once, if the breaker and the queue let it. An answer without Attempts was not asked for.
func (c *Client) attempt(ctx context.Context, r *request, sent int) (http1.Answer, error) {
	s := r.call.service
	if s.breaker.retryAfter() > 0 {
		return http1.Answer{}, c.shed(r.call, errOpen)
	}
	if err := s.queue.take(ctx, r.session.Caller, r.deadline); err != nil {
		if errors.Is(err, errQueueFull) || errors.Is(err, errOpen) {
			return http1.Answer{}, c.shed(r.call, err)
		}
		kind, cause := upstream.KindUnavailable, err
		if !errors.Is(err, errNoTurn) {
			kind, cause = failure(ctx, err)
		}
		if kind == upstream.KindTimeout {
			kind, cause = upstream.KindUnavailable, errNoTurn
		}
		return http1.Answer{}, r.call.failed(kind, cause)
	}
	defer s.queue.leave()
	leave, ok := s.breaker.enter()
	if !ok {
		return http1.Answer{}, c.shed(r.call, errOpen)
	}
	// A panic on the way says nothing about the service, but must not keep the permit.
	said := neither
	defer func() { s.breaker.leave(leave, said) }()
	start := time.Now()
	answer, err := c.exchange(ctx, r, sent)
	if answer.Attempts > 0 {
		said = c.judge(err, time.Since(start))
	}
	return answer, err
}

// shed is the error of a call that is not made. Who is told when to come back is told up to a quarter more, at random, so
// that those who were sent away together do not come back together.
func (c *Client) shed(to *call, why error) error {
	s := to.service
	s.dropped.Add(1)
	failed := &upstream.Error{Op: to.op, Service: s.name, Kind: upstream.KindUnavailable, Err: why}
	if errors.Is(why, errOpen) {
		after := s.breaker.retryAfter()
		failed.RetryAfter = after + time.Duration(c.config.Random()*float64(after/4))
	}
	return failed
}

// judge is what an exchange says about the health of its service. An end that the caller made says nothing, unless the
// service had been given half of the time that it may take at all: callers must not be able to open the breaker for others
// by giving it no time, nor to keep it closed by never waiting to the end.
func (c *Client) judge(err error, took time.Duration) verdict {
	if err == nil {
		return healthy
	}
	switch failed := (*upstream.Error)(nil); {
	case !errors.As(err, &failed):
		return neither
	case failed.Kind == upstream.KindServerError, failed.Kind == upstream.KindUnavailable:
		return failing
	case failed.Kind == upstream.KindTimeout && took >= c.config.Timeout/2:
		return failing
	case failed.Kind == upstream.KindTimeout, failed.Kind == upstream.KindCanceled, failed.Kind == upstream.KindInternal, failed.Kind == upstream.KindOverloaded:
		return neither
	default:
		return healthy
	}
}
