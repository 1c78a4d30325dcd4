// Package nethttp is the second HTTP client for the calls to the APIs, with the interface of package http1. It is for HTTP/2: the
// connections are those of net/http (http.ClientConn), which speaks HTTP/2 if the server offers it, otherwise HTTP/1.1. This package
// decides which connection a request uses, whether it is sent a second time, and when a connection is closed.
//
// Unlike package http1, it cannot see whether bytes of an idle HTTP/1.1 connection arrived just before a request was sent, nor
// whether a chunked response had a Content-Length too. HTTP/2 has neither problem.
//
// Read first: Host.Get, then pool.go.
package nethttp

import (
	"context"
	"errors"
	"io"
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
}

// New returns a Host, which makes its connections with the transport that the function returns; Dial and TLS of the configuration
// are not used. It makes no connection.
func New(config http1.Config, transport func() *http.Transport) *Host {
	h := &Host{config: config.Complete(), transport: transport, authority: http1.Authority(config.URL.Host), header: http.Header{}}
	h.header.Set("Accept-Encoding", "identity")
	if config.Compression {
		h.header.Set("Accept-Encoding", "gzip")
	}
	for _, field := range config.Fields {
		h.header.Set(field.Name, field.Value)
	}
	h.pool = pool{limit: config.MaxIdle, time: h.config.IdleTime, now: h.config.Now, multiplexed: config.URL.Scheme == "https"}
	return h
}

// maxSent bounds how often a request is sent over HTTP/2. A server that restarts may reject it on the connection that it ends, and on
// the one that was made in the meantime; it has processed neither.
const maxSent = 3

// Get makes the request and reads the whole response, as Host.Get of package http1 does. With HTTP/1.1 a request is sent a second time
// if a reused connection ended before a byte of the response was received. With HTTP/2 several requests share a connection. A
// request is sent again if the connection ended, or takes no more requests, before a part of the response was received. A
// silent connection is noticed by net/http, which sends a ping.
func (h *Host) Get(ctx context.Context, request http1.Request) (http1.Answer, error) {
	if err := request.Check(ctx); err != nil {
		return http1.Answer{}, err
	}
	made, err := h.request(&request)
	if err != nil {
		return http1.Answer{}, err
	}
	ctx, cancel := context.WithDeadline(ctx, request.Deadline)
	defer cancel()
	for attempts, began := 1, h.config.Now(); ; attempts++ {
		c, reused, err := h.pool.acquire(ctx, request.Fresh || attempts > 1, h.open)
		if err != nil {
			return http1.Answer{Attempts: attempts}, err
		}
		answer, received, err := h.exchange(ctx, c, made, &request)
		answer.Attempts = attempts
		switch {
		case err == nil, received, request.Fresh:
			return answer, err
		case ctx.Err() != nil:
			if reused && request.SilenceLimit > 0 && h.config.Now().Sub(began) >= request.SilenceLimit && errors.Is(ctx.Err(), context.DeadlineExceeded) {
				h.pool.closeIdle(func(other *conn) bool { return !other.shared && other.idleSince.Before(began) })
			}
			return answer, err
		case c.shared && (attempts == maxSent || c.takesRequests() || netcause.Lasts(netcause.Of(err))), !c.shared && !reused:
			return answer, err
		}
		h.CloseIdle()
	}
}

// CloseIdle closes the connections without a request.
func (h *Host) CloseIdle() { h.pool.closeIdle(func(*conn) bool { return true }) }

// Idle returns the number of connections without a request. It is for tests.
func (h *Host) Idle() int { return h.pool.idle() }

// open makes a connection.
func (h *Host) open(ctx context.Context) (*conn, error) {
	deadline, _ := ctx.Deadline()
	made, err := http1.Connect(ctx, deadline, h.config.ConnectTimeout, func(ctx context.Context) (*http.ClientConn, error) {
		return h.transport().NewClientConn(ctx, h.config.URL.Scheme, h.config.Address())
	})
	if err != nil {
		return nil, err
	}
	return &conn{ClientConn: made, shared: made.Available() > 1, tooOld: h.config.TooOld()}, nil
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

// exchange makes a request on a connection, and releases it, also after a panic. received reports whether a byte of the response was
// received.
func (h *Host) exchange(ctx context.Context, c *conn, made *http.Request, request *http1.Request) (answer http1.Answer, received bool, err error) {
	clean := false
	defer func() { h.pool.release(c, clean) }()
	ctx, abort := context.WithCancel(ctx)
	defer abort()
	var first atomic.Bool
	resp, err := c.RoundTrip(made.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { first.Store(true) },
	})))
	if err != nil {
		if operation := (*net.OpError)(nil); c.shared && c.Err() != nil && !errors.As(err, &operation) {
			err = io.ErrUnexpectedEOF // instead of one of net/http's own errors
		}
		return http1.Answer{}, first.Load(), ended(ctx, err)
	}
	defer resp.Body.Close()
	answer = http1.Answer{Status: resp.StatusCode, Header: resp.Header}
	if resp.StatusCode != http.StatusOK {
		enough := time.AfterFunc(http1.DrainTime, abort)
		clean = http1.Drain(resp) && http1.Unambiguous(resp)
		enough.Stop()
		return answer, true, nil
	}
	err = h.bodies.Read(resp, request, &answer)
	clean = err == nil && http1.Unambiguous(resp)
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
