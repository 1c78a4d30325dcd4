package client

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/http1"
)

// get makes one GET and returns the body of a response with status 200; every other result is an *upstream.Error. own
// reports whether the body belongs to the caller alone. All calls go through get. The deadline and the limit of
// concurrent calls are applied here, coalescing in join, retries in fetch, breaker and queue in attempt, and HTTP in
// exchange.
func (s *Session) get(ctx context.Context, e *endpoint, target string) (body []byte, own bool, err error) {
	for _, earlier := range s.replay {
		if body := earlier.response(target); body != nil {
			return body, false, nil
		}
	}
	if s.memo == nil {
		return s.call(ctx, e, target)
	}
	return s.memo.do(target, e.newError(upstream.KindUnavailable, errPanicked), func() ([]byte, bool, error) { return s.call(ctx, e, target) })
}

// call is get without the responses of earlier calls.
func (s *Session) call(ctx context.Context, e *endpoint, target string) (body []byte, own bool, err error) {
	s.Turn.Pause()
	defer s.Turn.Resume(ctx)
	r := request{session: s, endpoint: e, target: target, created: time.Now()}
	if err := s.shared.semaphore.Acquire(ctx, s.Deadline); err != nil {
		r.shortened, r.late = true, true // only the deadline of the operation ends this wait
		return nil, false, r.newError(classify(ctx, err))
	}
	defer s.shared.semaphore.Release()
	// The timeout begins here: the API is not responsible for the time that other calls of the operation took.
	now := time.Now()
	r.deadline, r.shortened = s.earlierDeadline(now.Add(s.client.config.Timeout))
	r.late = r.shortened && r.deadline.Sub(now) < min(s.client.config.Timeout, s.Deadline.Sub(s.shared.opened))/2
	if !now.Before(r.deadline) {
		return nil, false, r.newError(upstream.KindTimeout, context.DeadlineExceeded)
	}
	// A read of a stream may be caused by a change, so it needs a call of its own.
	if s.client.config.Coalesce && s.Caller != "" && s.Seen == nil {
		return s.client.join(ctx, &r)
	}
	body, err = s.client.fetch(ctx, &r)
	return body, true, err
}

// exchange sends the request of a call and reads the response. sent is the number of times that the request was sent
// before, and start is now. It is the only function that does HTTP: the caller's token and the limit of the body are
// applied here. Redirects are not followed.
func (c *Client) exchange(ctx context.Context, r *request, sent int, held *unit, start time.Time) (http1.Answer, error) {
	e, header, observer := r.endpoint, r.session.Header, r.session.Observer
	e.service.flights.depart(r)
	if observer != nil {
		ctx, header = observer.Begin(ctx, header)
	}
	response, err := e.service.host.Get(ctx, http1.Request{
		Target: r.target, Bearer: r.session.Bearer, Deadline: r.deadline, Fresh: sent > 0, SilenceLimit: c.config.Timeout / 2, Lingerer: held,
		Fields:  []http1.Field{{Name: "X-Request-Id", Value: header.RequestID}, {Name: "Traceparent", Value: header.TraceParent}},
		MaxBody: c.config.MaxBody, UsualBody: e.usualBody.Load(), Account: r.session.Account,
	})
	switch {
	case err != nil:
		err = r.newError(classify(ctx, err))
	case response.Status != http.StatusOK:
		err = e.statusError(response)
	default:
		e.usualBody.Store(int64(len(response.Body)))
		response.Body = shrink(response.Body, r.session.Account)
	}
	e.service.count(cmp.Or(r.session.Share, r.session.Caller), response.Status, err)
	if observer != nil && response.Attempts > 0 {
		observer.End(ctx, Exchange{
			Service: e.service.name, Route: e.route, Status: response.Status, Err: err,
			Bytes: len(response.Body), EncodedBytes: response.Encoded, Attempt: sent + response.Attempts,
			Start: start, Duration: time.Since(start), Waited: start.Sub(r.created),
		})
	}
	return response, err
}

// shrink copies a body into memory of its size if its memory is much larger. A response without Content-Length is read
// into as much memory as the previous response of the endpoint needed, up to 1 MiB, and is kept until its operation
// ends. The account is charged for the capacity of the result.
func shrink(body []byte, account *quota.Account) []byte {
	if cap(body) < 4*max(len(body), buffer.MinSize) {
		return body
	}
	small := append(buffer.Get(len(body)), body...)
	account.Return(cap(body) - cap(small))
	buffer.Put(body)
	return small
}

// statusError returns the error of a response whose status is not 200.
func (e *endpoint) statusError(response http1.Answer) error {
	failed := &upstream.Error{Op: e.op, Service: e.service.name, Kind: upstream.KindOfStatus(response.Status), Status: response.Status}
	if http1.OfConnection(response.Status) {
		failed.Kind = upstream.KindUnavailable
	}
	if failed.Kind.Reaction().Retryable {
		failed.RetryAfter = retryAfter(response.Header, time.Now())
	}
	return failed
}

// retryAfter returns the time in the Retry-After of a response: seconds, or a date by the clock of the response's Date
// (RFC 9110, sections 10.2.3 and 6.6.1). It returns 0 if the header is absent or invalid.
func retryAfter(header http.Header, now time.Time) time.Duration {
	const limit = 24 * time.Hour
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, limit)
	}
	if date, err := http.ParseTime(value); err == nil {
		if sent, err := http.ParseTime(header.Get("Date")); err == nil {
			now = sent
		}
		return min(max(date.Sub(now), 0), limit)
	}
	return 0
}
