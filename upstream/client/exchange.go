package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/http1"
)

// service is one API: where it is, the connections to it, and what protects it and those who call it.
type service struct {
	name    upstream.Service
	path    string // of the base URL, escaped, without a slash at its end
	host    *http1.Host
	breaker *breaker
	queue   queue
	budget  budget
	flights flights

	retries, dropped, joined atomic.Uint64
}

func newService(name upstream.Service, baseURL string, config Config) (*service, error) {
	base, err := ParseBaseURL(baseURL)
	if err != nil {
		return nil, fmt.Errorf("upstream: the URL of %s %w", name, err)
	}
	host, err := http1.New(http1.Config{
		URL: base, Compression: config.Compression, MaxIdle: config.Concurrency,
		ConnectTimeout: config.ConnectTimeout, MaxAge: config.ConnectionAge, Random: config.Random,
		Fields: []http1.Field{{Name: "User-Agent", Value: "pixgraph"}, {Name: "Accept", Value: "application/json"}},
	})
	if err != nil {
		return nil, fmt.Errorf("upstream: %s: %w", name, err)
	}
	s := &service{name: name, path: strings.TrimSuffix(base.EscapedPath(), "/"), host: host}
	s.queue.most, s.queue.longest = config.Concurrency, config.Queue
	s.flights.under = map[flightKey]*flight{}
	s.budget.fill()
	// Who waits for a service that turns out to be down need not find out one after the other.
	s.breaker = newBreaker(config.Breaker, func() { s.queue.dismiss(errOpen) })
	return s, nil
}

// call is one of the operations of the APIs (spec 4): what it is called, where it is, and how large its last
// answer was.
type call struct {
	op      string
	service *service
	path    string
	route   string // the path with a word for what differs from call to call, as Exchange tells it

	// usual is the number of bytes of the last answer, by which memory is made ready for one that does not tell its length.
	//
	//   - Key: the endpoint. It is shared by all callers; no answer depends on it, only how much memory is allocated for one.
	//   - Bound: 8 bytes. What is made ready is buffer.Most (1 MiB) at most, for each exchange under way; fitted gives back
	//     what an answer does not need.
	//   - Filled by: any caller, with each answer.
	//   - Emptied by: the next answer.
	usual atomic.Int64
}

func (c *call) failed(kind upstream.Kind, err error) error {
	return &upstream.Error{Op: c.op, Service: c.service.name, Kind: kind, Err: err}
}

// url joins the base URL's path and the path segments, each escaped, so that an id can hold any character.
func (s *service) url(query url.Values, segments ...string) string {
	target := s.path
	for _, segment := range segments {
		target += "/" + url.PathEscape(segment)
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	return target
}

// get makes one GET and returns the body of its 200 answer; every other outcome is an *Error. own tells whether nobody else
// reads the body. All calls come through here: the deadline, the bounds on parallel calls, and what is done about failures
// are applied below, in join and fetch; exchange is what does HTTP.
func (s *Session) get(ctx context.Context, to *call, target string) (raw []byte, own bool, err error) {
	r := request{session: s, call: to, target: target, asked: time.Now()}
	if err := s.shared.turns.take(ctx, s.Deadline); err != nil {
		return nil, false, to.failed(failure(ctx, err))
	}
	defer s.shared.turns.leave()
	// Waiting for the calls of the own operation is not the API's doing, and not on its clock.
	now := time.Now()
	if r.deadline, r.hurried = s.before(now.Add(s.client.config.Timeout)); !now.Before(r.deadline) {
		return nil, false, to.failed(upstream.KindTimeout, context.DeadlineExceeded)
	}
	if s.client.config.Coalesce && s.Caller != "" {
		return s.client.join(ctx, &r)
	}
	raw, err = s.client.fetch(ctx, &r)
	return raw, true, err
}

// exchange makes one exchange of a call for which so many were made before. It is the one function that does HTTP: the
// caller's token and the cap on the body are applied here. Redirects are not followed.
func (c *Client) exchange(ctx context.Context, r *request, sent int) (http1.Answer, error) {
	to, start, header, observer := r.call, time.Now(), r.session.Header, r.session.Observer
	if observer != nil {
		header = observer.Begin(ctx, header)
	}
	answer, err := to.service.host.Get(ctx, http1.Request{
		Target: r.target, Bearer: r.session.Bearer, Deadline: r.deadline, Fresh: sent > 0, SilenceLimit: c.config.Timeout / 2,
		Fields:  []http1.Field{{Name: "X-Request-Id", Value: header.RequestID}, {Name: "Traceparent", Value: header.TraceParent}},
		MaxBody: c.config.MaxBody, UsualBody: to.usual.Load(), Account: r.session.Account,
	})
	switch {
	case err != nil:
		err = to.failed(failure(ctx, err))
	case answer.Status != http.StatusOK:
		err = to.refused(answer)
	default:
		to.usual.Store(int64(len(answer.Body)))
		answer.Body = fitted(answer.Body, r.session.Account)
	}
	if observer != nil && answer.Attempts > 0 {
		observer.End(ctx, Exchange{
			Service: to.service.name, Route: to.route, Status: answer.Status, Err: err,
			Bytes: len(answer.Body), EncodedBytes: answer.Encoded, Attempt: sent + answer.Attempts,
			TraceParent: header.TraceParent,
			Start:       start, Duration: time.Since(start), Waited: start.Sub(r.asked),
		})
	}
	return answer, err
}

// fitted is a body in memory of its size. An answer that does not tell its length is read into as much as the last one
// needed, which may be another caller's, and lives as long as its operation: 1 MiB for each small answer would add up. The
// account is charged for the capacity of either.
func fitted(body []byte, account *quota.Account) []byte {
	if cap(body) < 4*max(len(body), buffer.Least) {
		return body
	}
	small := append(buffer.Get(len(body)), body...)
	account.Return(cap(body) - cap(small))
	buffer.Put(body)
	return small
}

// refused is the error of an answer that is no 200.
func (c *call) refused(answer http1.Answer) error {
	failed := &upstream.Error{Op: c.op, Service: c.service.name, Kind: upstream.KindOfStatus(answer.Status), Status: answer.Status}
	if failed.Kind == upstream.KindRateLimited || failed.Kind == upstream.KindServerError {
		failed.RetryAfter = retryAfter(answer.Header.Get("Retry-After"), time.Now())
	}
	return failed
}

// retryAfter reads a Retry-After header: seconds or a date. 0 when there is none that makes sense.
func retryAfter(value string, now time.Time) time.Duration {
	const most = 24 * time.Hour
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, most)
	}
	if date, err := http.ParseTime(value); err == nil {
		return min(max(date.Sub(now), 0), most)
	}
	return 0
}
