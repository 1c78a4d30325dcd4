package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// service is one API: where it is, the connections to it, and how many exchanges may be under way.
type service struct {
	name      Service
	base      *url.URL
	transport *http.Transport
	turns     chan struct{}
}

func newService(name Service, baseURL string, config Config) (*service, error) {
	base, err := ParseBaseURL(baseURL)
	if err != nil {
		return nil, fmt.Errorf("upstream: the URL of %s %w", name, err)
	}
	transport := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: config.Timeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		MaxIdleConnsPerHost:    config.Concurrency,
		MaxConnsPerHost:        config.Concurrency,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    config.Timeout,
		ResponseHeaderTimeout:  config.Timeout,
		MaxResponseHeaderBytes: maxResponseHeader,
	}
	return &service{name, base, transport, make(chan struct{}, config.Concurrency)}, nil
}

// maxResponseHeader bounds the header of an answer; those of the APIs are well below 2 KiB.
const maxResponseHeader = 64 << 10

// call is one of the operations of the APIs (spec section 4): what it is called, where it is, and how large its last
// answer was.
type call struct {
	op      string
	service *service
	path    string
	usual   atomic.Int64 // bytes of a body
}

func (c *call) failed(kind Kind, err error) error {
	return &Error{Op: c.op, Service: c.service.name, Kind: kind, Err: err}
}

// url joins the base URL and the path segments, each escaped, so that an id can hold any character.
func (s *service) url(query url.Values, segments ...string) *url.URL {
	u := *s.base
	path, raw := u.Path, u.EscapedPath()
	if strings.HasSuffix(raw, "/") { // in raw, not in path, where it may be an escaped one
		path, raw = path[:len(path)-1], raw[:len(raw)-1]
	}
	for _, segment := range segments {
		path += "/" + segment
		raw += "/" + url.PathEscape(segment)
	}
	u.Path, u.RawPath, u.RawQuery = path, raw, query.Encode()
	return &u
}

// get makes one GET exchange and returns the body of its 200 answer; every other outcome is an *Error. It is the one
// function that does HTTP: the caller's token, the deadline, the cap on the body and the limits on parallel calls are
// all applied here. Redirects are not followed.
func (c *Client) get(ctx context.Context, to *call, target *url.URL) ([]byte, error) {
	// Waiting for the calls of one's own operation is not the API's doing, and not on its clock.
	leave, err := takeTurn(ctx, operationTurns(ctx))
	if err != nil {
		return nil, to.failed(failure(ctx, err))
	}
	defer leave()

	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	done, err := takeTurn(ctx, to.service.turns)
	if err != nil {
		kind, cause := failure(ctx, err)
		if kind == KindTimeout {
			kind, cause = KindUnavailable, errNoTurn
		}
		return nil, to.failed(kind, cause)
	}
	defer done()

	resp, err := c.send(ctx, to.service, target)
	if err != nil {
		return nil, to.failed(failure(ctx, err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		drain(resp)
		failed := &Error{Op: to.op, Service: to.service.name, Kind: kindOfStatus(resp.StatusCode), Status: resp.StatusCode}
		if failed.Kind == KindRateLimited || failed.Kind == KindServerError {
			failed.RetryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
		}
		return nil, failed
	}
	body, err := readBody(resp, c.config.MaxBody, to.usual.Load())
	if err != nil {
		return nil, to.failed(failure(ctx, err))
	}
	to.usual.Store(int64(len(body)))
	return body, nil
}

var errNoTurn = errors.New("no turn before the deadline: too many calls are under way")

// An unwanted body is read so that its connection can be used again, but not beyond what a new connection costs.
const (
	maxDrain  = 16 << 10
	drainTime = 100 * time.Millisecond
)

// drain reads an unwanted body. That of a 101 is the bare connection, which no deadline ends.
func drain(resp *http.Response) {
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return
	}
	enough := time.AfterFunc(drainTime, func() { _ = resp.Body.Close() })
	defer enough.Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, maxDrain)
}

// send makes the request, twice at most. http.Transport by itself would repeat a GET on every idle connection that
// turns out to be dead, dozens of calls for one field; the body below keeps it from doing so. The second try is for
// a connection that the server closed while it was idle, and is made on a new one.
func (c *Client) send(ctx context.Context, s *service, target *url.URL) (*http.Response, error) {
	for try := 1; ; try++ {
		reused := false
		trace := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused },
		})
		req := (&http.Request{
			Method: http.MethodGet, URL: target, Host: target.Host, Header: c.header(ctx),
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Body: oneShot{},
		}).WithContext(trace)
		resp, err := s.transport.RoundTrip(req)
		if err == nil || !reused || try == 2 || ctx.Err() != nil {
			return resp, err
		}
		s.transport.CloseIdleConnections()
	}
}

// oneShot is an empty body that cannot be had again. The transport sends no body and no length for it, and, unlike
// for a request without one, never repeats the request by itself.
type oneShot struct{}

func (oneShot) Read([]byte) (int, error) { return 0, io.EOF }
func (oneShot) Close() error             { return nil }

func (c *Client) header(ctx context.Context) http.Header {
	header := make(http.Header, 5)
	maps.Copy(header, c.config.Header(ctx)) // whose map may be somebody else's too: the token must not get into it
	values := [...]string{"Bearer " + c.config.Token(ctx), "application/json", "pixgraph"}
	header["Authorization"], header["Accept"], header["User-Agent"] = values[:1:1], values[1:2:2], values[2:]
	return header
}

// readBody reads a body whole, max bytes of it at most after decompression. Where its header tells no length, it is
// expected to have the usual one.
func readBody(resp *http.Response, max, usual int64) ([]byte, error) {
	if resp.ContentLength > max {
		return nil, errTooLarge
	}
	body := make([]byte, 0, bodyCapacity(resp.ContentLength, usual))
	for {
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
		n, err := resp.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > max:
			return nil, errTooLarge
		case err == io.EOF:
			return body, nil
		case err != nil:
			return nil, err
		}
	}
}

// bodyCapacity is what to allocate for a body. A promise of its header costs the sender nothing, and the next answer need
// not be like the last one, so a big one is not believed before the bytes come.
func bodyCapacity(length, usual int64) int64 {
	const least, most = 8 << 10, 1 << 20
	if length < 0 {
		length = max(usual+usual/8, least)
	}
	return min(length, most) + 1 // the last read needs room to see the end
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
