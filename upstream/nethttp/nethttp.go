// Package nethttp is the second HTTP client for the calls to the APIs, with the interface of package http1. It is for
// HTTP/2: the connections are those of net/http (http.ClientConn). This package decides which connection a request
// uses, whether it is sent again, and when a connection is closed.
//
// With a server that does not offer HTTP/2, package http1 makes the calls: HTTP/1.1 by net/http sometimes returns bytes
// that follow a response as the response to the next request, which may be another caller's.
//
// Read first: Host.Get, then pool.go.
package nethttp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"pixgraph/internal/netcause"
	"pixgraph/upstream/http1"
)

// Host is one server: how to reach it, and the connections to it. It is safe for concurrent use.
type Host struct {
	config    http1.Config
	transport func() *http.Transport
	authority string      // the Host header
	header    http.Header // of every request
	bodies    http1.Bodies
	pool      pool

	other *http1.Host  // for HTTP/1.1
	until atomic.Int64 // Unix time in nanoseconds until which other makes the calls; then one call tries HTTP/2 again
}

// errNoHTTP2 means that the server does not offer HTTP/2.
var errNoHTTP2 = errors.New("the server does not offer HTTP/2")

// New returns a Host. It makes no connection. Each connection of HTTP/2 has a transport of its own, which the function
// returns.
func New(config http1.Config, transport func() *http.Transport) (*Host, error) {
	other, err := http1.New(config)
	h := &Host{config: config.Complete(), transport: transport, authority: http1.Authority(config.URL.Host), header: http.Header{}, other: other}
	h.header.Set("Accept-Encoding", "identity")
	if config.Compression {
		h.header.Set("Accept-Encoding", "gzip")
	}
	for _, field := range config.Fields {
		h.header.Set(field.Name, field.Value)
	}
	if config.URL.Scheme == "http" {
		h.until.Store(math.MaxInt64)
	}
	return h, err
}

// maxSent bounds how often a request is sent over HTTP/2. A server that restarts may reject it on the connection that
// it ends, and on the one that was made in the meantime; it has processed neither.
const maxSent = 3

// Get makes the request and reads the whole response, as Host.Get of package http1 does. Several requests share a
// connection. A request is sent again if the connection ended, or takes no more requests, before a part of the response
// was received, or if a response over a connection that had others before is about the connection.
//
// A silent connection is noticed by net/http, which sends a ping. A server may respond to pings only. So if a request
// ends at its deadline after SilenceLimit, and no response began over its connection in that time, the connection gets
// no more requests.
func (h *Host) Get(ctx context.Context, request http1.Request) (http1.Answer, error) {
	if until := h.until.Load(); time.Now().UnixNano() < until || until > 0 && !h.until.CompareAndSwap(until, h.later()) {
		return h.other.Get(ctx, request)
	}
	if err := request.Check(ctx, time.Now()); err != nil {
		return http1.Answer{}, err
	}
	made, err := h.request(&request)
	if err != nil {
		return http1.Answer{}, err
	}
	ctx, cancel := context.WithDeadline(ctx, request.Deadline)
	defer cancel()
	for attempts, began := 1, time.Now(); ; attempts++ {
		c, err := h.pool.acquire(ctx, h.open)
		if errors.Is(err, errNoHTTP2) {
			answer, err := h.other.Get(ctx, request)
			answer.Attempts += attempts - 1
			return answer, err
		} else if err != nil {
			return http1.Answer{Attempts: attempts, Unconnected: true}, err
		}
		reused := c.heard.Load() > 0
		answer, received, err := h.exchange(ctx, c, made, &request)
		answer.Attempts = attempts
		if c.heard.Load() < began.UnixNano() && request.WasSilent(ctx, err, began) {
			h.pool.retire(c)
		}
		again := err != nil && !received && attempts < maxSent && !c.takesRequests() && !netcause.Lasts(netcause.Of(err))
		if err == nil && http1.OfConnection(answer.Status) {
			h.pool.retire(c)
			again = reused && attempts == 1
		}
		if !again || request.Fresh || ctx.Err() != nil {
			return answer, err
		}
		h.CloseIdle()
	}
}

// CloseIdle closes the connections without a request.
func (h *Host) CloseIdle() {
	h.pool.closeIdle()
	h.other.CloseIdle()
}

// open makes a connection of HTTP/2. If the server does not offer it, package http1 makes the calls until such a
// connection would be too old.
func (h *Host) open(ctx context.Context) (*conn, error) {
	deadline, _ := ctx.Deadline()
	var protocol string
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeDone: func(state tls.ConnectionState, _ error) { protocol = state.NegotiatedProtocol },
	})
	made, err := http1.Connect(ctx, deadline, h.config.ConnectTimeout, func(ctx context.Context) (*http.ClientConn, error) {
		transport := h.transport()
		transport.IdleConnTimeout = h.config.IdleTime
		return transport.NewClientConn(ctx, h.config.URL.Scheme, h.config.Address())
	})
	if err != nil {
		return nil, err
	}
	if protocol == "h2" {
		h.until.Store(0)
		return &conn{ClientConn: made, tooOld: h.config.TooOld()}, nil
	}
	_ = made.Close()
	h.until.Store(h.later())
	return nil, errNoHTTP2
}

// later returns when HTTP/2 is tried again.
func (h *Host) later() int64 {
	if tooOld := h.config.TooOld(); !tooOld.IsZero() {
		return tooOld.UnixNano()
	}
	return math.MaxInt64
}

// request returns the request in the form of net/http, without a context.
func (h *Host) request(request *http1.Request) (*http.Request, error) {
	target, err := url.ParseRequestURI(request.Target)
	if err != nil {
		return nil, http1.ErrField
	}
	target.Scheme, target.Host = h.config.URL.Scheme, h.config.URL.Host
	header := h.header.Clone()
	if request.Bearer != "" {
		header.Set("Authorization", "Bearer "+request.Bearer)
	}
	for _, field := range request.Fields {
		if field.Value != "" {
			header.Set(field.Name, field.Value)
		}
	}
	return &http.Request{Method: http.MethodGet, URL: target, Host: h.authority, Header: header}, nil
}

// exchange makes a request on a connection, and releases it, also after a panic. received reports whether a byte of the
// response was received.
func (h *Host) exchange(ctx context.Context, c *conn, made *http.Request, request *http1.Request) (answer http1.Answer, received bool, err error) {
	defer h.pool.release(c)
	ctx, abort := context.WithCancel(ctx)
	defer abort()
	var first atomic.Bool
	resp, err := c.RoundTrip(made.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() {
			first.Store(true)
			c.heard.Store(time.Now().UnixNano())
		},
	})))
	if err != nil {
		if operation := (*net.OpError)(nil); c.Err() != nil && !errors.As(err, &operation) {
			err = io.ErrUnexpectedEOF // instead of one of net/http's own errors
		}
		return http1.Answer{}, first.Load(), ended(ctx, err)
	}
	defer resp.Body.Close()
	answer = http1.Answer{Status: resp.StatusCode, Header: resp.Header}
	if resp.StatusCode != http.StatusOK {
		enough := time.AfterFunc(http1.DrainTime, abort)
		http1.Drain(resp) // a reset of the stream might count as an attack
		enough.Stop()
		return answer, true, nil
	}
	err = h.bodies.Read(resp, request, &answer)
	return answer, true, ended(ctx, err)
}

// ended returns the end of the context instead of the error that it caused.
func ended(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return os.ErrDeadlineExceeded
	default:
		return ctx.Err()
	}
}
