package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"pixgraph/internal/delay"
	"pixgraph/internal/netcause"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/http1"
)

// request is one call of a session, with all of its attempts.
type request struct {
	session   *Session
	endpoint  *endpoint
	target    string
	created   time.Time // or the end of the last backoff
	deadline  time.Time
	shortened bool    // whether the deadline is that of the operation, which is earlier than the timeout of the call
	late      bool    // whether the call began when less than half of the time of a first call was left
	flight    *flight // that others can join until the call is sent; nil if it is not coalesced
}

// newError returns the error of a call.
func (r *request) newError(kind upstream.Kind, err error) error {
	switch {
	case kind != upstream.KindTimeout || !r.shortened:
	case r.session.ClientDeadline:
		kind = upstream.KindClientDeadline
	case r.late:
		kind = upstream.KindOperationDeadline
	}
	return r.endpoint.newError(kind, err)
}

// fetch makes a call, and retries it if backoff allows. The number of retries is bounded by Config.Retries, the
// deadline, and the budget of the service. A request that the HTTP client sends again, over another connection, counts
// as a retry.
func (c *Client) fetch(ctx context.Context, r *request) ([]byte, error) {
	s := r.endpoint.service
	s.budget.earn()
	s.limited.earn()
	sent := 0
	for {
		response, err := c.attempt(ctx, r, sent)
		sent += response.Attempts
		if err == nil || response.Attempts == 0 || sent > c.config.Retries || r.session.Background {
			return response.Body, err
		}
		budget := &s.budget
		if upstream.KindOf(err) == upstream.KindRateLimited { // the caller exceeds its rate, and may continue to send
			budget = &s.limited
		}
		pause, retry := c.backoff(err, sent)
		if !retry || ctx.Err() != nil || !beforeDeadline(ctx, r.deadline, pause) || !budget.spend() {
			return nil, err
		}
		s.retries.Add(1)
		if !delay.Sleep(ctx, pause) {
			kind, cause := classify(ctx, ctx.Err())
			return nil, r.newError(kind, cause)
		}
		r.created = time.Now()
	}
}

// The backoff before a retry: long enough for a load balancer to notice a failed server, short compared with the time
// that a person waits. It doubles with each retry. Up to half of it is subtracted at random, so that calls that failed
// together are not retried together.
const (
	minBackoff = 50 * time.Millisecond
	maxBackoff = 2 * time.Second
)

// backoff reports whether a call that failed may be retried, and after what time.
func (c *Client) backoff(err error, sent int) (pause time.Duration, retry bool) {
	var failed *upstream.Error
	if !errors.As(err, &failed) || !failed.Retried() || netcause.Lasts(failed) {
		return 0, false
	}
	pause = min(minBackoff<<min(sent-1, 10), maxBackoff)
	pause -= c.config.Random.UpTo(pause / 2)
	return max(pause, failed.RetryAfter), true
}

// beforeDeadline reports whether a pause that begins now ends before the deadline and before that of the context.
func beforeDeadline(ctx context.Context, deadline time.Time, pause time.Duration) bool {
	if own, ok := ctx.Deadline(); ok && own.Before(deadline) {
		deadline = own
	}
	return pause < time.Until(deadline)
}

// attempt makes one exchange, if the breakers and the queue allow it. The result has no Attempts if nothing was sent.
func (c *Client) attempt(ctx context.Context, r *request, sent int) (http1.Answer, error) {
	s, caller := r.endpoint.service, cmp.Or(r.session.Share, r.session.Caller)
	from := s.breakers.originOf(caller, r.session.Caller, r.target, r.session.Background)
	if after := s.breakers.retryAfter(from); after > 0 {
		return http1.Answer{}, c.shed(r.endpoint, errBreakerOpen, after)
	}
	queue := s.queue
	if r.session.Background {
		queue = s.background
	}
	if err := queue.Acquire(ctx, caller, r.deadline); err != nil {
		if errors.Is(err, quota.ErrQueueFull) || errors.Is(err, errBreakerOpen) {
			return http1.Answer{}, c.shed(r.endpoint, err, s.breakers.retryAfter(from))
		}
		kind, cause := upstream.KindUnavailable, err
		if !errors.Is(err, quota.ErrQueueTimeout) {
			kind, cause = classify(ctx, err)
		}
		if kind == upstream.KindTimeout {
			kind, cause = upstream.KindUnavailable, quota.ErrQueueTimeout
		}
		return http1.Answer{}, r.endpoint.newError(kind, cause)
	}
	held := &unit{queue: queue, caller: caller}
	defer func() {
		if !held.lingers {
			held.End()
		}
	}()
	permits, ok := s.breakers.allow(from)
	if !ok {
		return http1.Answer{}, c.shed(r.endpoint, errBreakerOpen, s.breakers.retryAfter(from))
	}
	// A panic says nothing about the service, but must return the permit.
	got := result{health: upstream.HealthUnknown}
	defer func() { s.breakers.report(permits, from, got) }()
	start := time.Now()
	response, err := c.exchange(ctx, r, sent, held, start)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		held.abandon()
	}
	if response.Attempts > 0 {
		got = result{c.healthOf(err, start), response.Unconnected}
		if err == nil && !bytes.HasPrefix(bytes.TrimLeft(response.Body, " \t\r\n"), []byte("{")) { // a page of a proxy
			got.health = upstream.HealthRefused
		}
	}
	return response, err
}

// minRetryAfter is the RetryAfter of a call that the breaker rejected just before it would have allowed it. Without a
// time, clients would not know that the call was rejected.
const minRetryAfter = time.Millisecond

// errBreakerOpen is the cause of the error of a call that a breaker rejected.
var errBreakerOpen = errors.New("the circuit breaker is open")

// errOwnBreaker is that of a call that only the breaker of its caller or of its target rejected.
var errOwnBreaker = fmt.Errorf("calls of this caller, or for this target, have failed: %w for them", errBreakerOpen)

// shed returns the error of a call that is rejected without being sent. after is the time for which the breakers reject
// such calls. RetryAfter is up to a quarter longer at random, so that clients that were rejected together do not retry
// together.
func (c *Client) shed(e *endpoint, reason error, after time.Duration) error {
	s := e.service
	if errors.Is(reason, errBreakerOpen) && s.breakers.state() == stateClosed {
		reason = errOwnBreaker
	} else {
		s.shed.Add(1)
	}
	failed := &upstream.Error{Op: e.op, Service: s.name, Kind: upstream.KindUnavailable, Err: reason}
	if errors.Is(reason, errBreakerOpen) {
		after = max(after, minRetryAfter)
		failed.RetryAfter = after + c.config.Random.UpTo(after/4)
	}
	return failed
}

// healthOf returns what an exchange that began at start says about the health of its service. A timeout is a failure
// only if the service had half of Config.Timeout. So a caller with very short deadlines cannot open the breaker for
// others, and callers with deadlines just below the timeout cannot keep it closed.
func (c *Client) healthOf(err error, start time.Time) upstream.Health {
	if err == nil {
		return upstream.HealthGood
	}
	health := upstream.KindOf(err).Reaction().Health
	if health == upstream.HealthBadIfSlow {
		if time.Since(start) >= c.config.Timeout/2 {
			return upstream.HealthBad
		}
		return upstream.HealthUnknown
	}
	return health
}
