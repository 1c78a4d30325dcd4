package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"pixgraph/upstream/http1"
)

// service is one API: where it is, the connections to it, and how many exchanges may be under way.
type service struct {
	name  Service
	path  string // of the base URL, escaped, without a slash at its end
	host  *http1.Host
	turns turns
}

func newService(name Service, baseURL string, config Config) (*service, error) {
	base, err := ParseBaseURL(baseURL)
	if err != nil {
		return nil, fmt.Errorf("upstream: the URL of %s %w", name, err)
	}
	host, err := http1.New(http1.Config{
		URL: base, Compression: config.Compression, MaxIdle: config.Concurrency,
		Fields: []http1.Field{{Name: "User-Agent", Value: "pixgraph"}, {Name: "Accept", Value: "application/json"}},
	})
	if err != nil {
		return nil, fmt.Errorf("upstream: %s: %w", name, err)
	}
	return &service{name, strings.TrimSuffix(base.EscapedPath(), "/"), host, make(turns, config.Concurrency)}, nil
}

// call is one of the operations of the APIs (spec section 4): what it is called, where it is, and how large its last
// answer was.
type call struct {
	op      string
	service *service
	path    string
	route   string       // the path with a word for what differs from call to call, as Exchange tells it
	usual   atomic.Int64 // bytes of a body
}

func (c *call) failed(kind Kind, err error) error {
	return &Error{Op: c.op, Service: c.service.name, Kind: kind, Err: err}
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

// get makes one GET exchange and returns the body of its 200 answer; every other outcome is an *Error. It is the one
// function that does HTTP: the caller's token, the deadline, the cap on the body and the limits on parallel calls are
// all applied here. Redirects are not followed.
func (c *Client) get(ctx context.Context, to *call, target string) ([]byte, error) {
	asked := time.Now()
	// Waiting for the calls of one's own operation is not the API's doing, and not on its clock.
	if o := operationOf(ctx); o != nil {
		if err := o.turns.take(ctx, time.Time{}); err != nil {
			return nil, to.failed(failure(ctx, err))
		}
		defer o.turns.leave()
	}

	deadline := time.Now().Add(c.config.Timeout)
	if err := to.service.turns.take(ctx, deadline); err != nil {
		kind, cause := failure(ctx, err)
		if kind == KindTimeout {
			kind, cause = KindUnavailable, errNoTurn
		}
		return nil, to.failed(kind, cause)
	}
	defer to.service.turns.leave()

	start, header := time.Now(), c.config.Header(ctx)
	answer, err := to.service.host.Get(ctx, http1.Request{
		Target: target, Bearer: c.config.Token(ctx), Deadline: deadline,
		Fields:  []http1.Field{{Name: "X-Request-Id", Value: header.RequestID}, {Name: "Traceparent", Value: header.TraceParent}},
		MaxBody: c.config.MaxBody, UsualBody: to.usual.Load(),
	})
	switch {
	case err != nil:
		err = to.failed(failure(ctx, err))
	case answer.Status != http.StatusOK:
		err = to.refused(answer)
	default:
		to.usual.Store(int64(len(answer.Body)))
	}
	if c.config.Observe != nil && answer.Attempts > 0 {
		c.config.Observe(ctx, Exchange{
			Service: to.service.name, Route: to.route, Status: answer.Status, Err: err,
			Bytes: len(answer.Body), EncodedBytes: answer.Encoded, Attempt: answer.Attempts,
			Start: start, Duration: time.Since(start), Waited: start.Sub(asked),
		})
	}
	return answer.Body, err
}

var errNoTurn = errors.New("no turn before the deadline: too many calls are under way")

// refused is the error of an answer that is no 200.
func (c *call) refused(answer http1.Answer) error {
	failed := &Error{Op: c.op, Service: c.service.name, Kind: kindOfStatus(answer.Status), Status: answer.Status}
	if failed.Kind == KindRateLimited || failed.Kind == KindServerError {
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
