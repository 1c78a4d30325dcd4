// Package http1 is an HTTP/1.1 client for the calls to the APIs: one GET at a time on a connection that is reused, in the
// caller's goroutine. The standard library dials, does TLS and parses the responses (http.ReadResponse). This package
// decides which connection a request uses, and whether the connection is reused afterwards.
//
// It is not a general HTTP client: it has no redirects, proxies, cookies or caches, no other method, and no HTTP/2. It
// does not interpret bodies. Its errors may contain data of a server; package client classifies them.
//
// A connection serves several callers, one after the other, so any doubt about a connection closes it: a response that is
// truncated or framed ambiguously, bytes after a response, bytes or an end while it was idle.
//
// Read first: Host.Get.
package http1

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"pixgraph/internal/quota"
)

// Config is the address of a host and how to talk to it.
type Config struct {
	URL    *url.URL    // http or https; only the host and the port are used
	TLS    *tls.Config // nil for the system's authorities; the server's name and the minimum version are set here
	Fields []Field     // headers of every request, in addition to Host and Accept-Encoding

	Compression bool          // whether to request gzip; a response with gzip is read in any case
	MaxIdle     int           // maximum number of idle connections; 0 keeps none
	IdleTime    time.Duration // after which an idle connection is closed; 0 for DefaultIdleTime

	MaxAge time.Duration // after which a connection is not reused, less up to 10 % at random; 0 for no limit

	ConnectTimeout time.Duration // for dialing and the TLS handshake together; 0 for the request's deadline only

	Now    func() time.Time // the clock of the connections' age; nil for time.Now
	Random func() float64   // 0 to below 1, for MaxAge; nil for math/rand
}

// DefaultIdleTime is the idle timeout of net/http. It is below the 100 s and more after which load balancers drop an idle
// connection.
const DefaultIdleTime = 90 * time.Second

// Field is one header of a request.
type Field struct{ Name, Value string }

// Request is one GET.
type Request struct {
	Target   string    // path and query, escaped
	Bearer   string    // the token of the Authorization header; "" sends none
	Fields   []Field   // further headers; those with an empty value are not sent
	Deadline time.Time // when the exchange must be over, dialing included
	Fresh    bool      // whether it uses a new connection, and so is sent only once; for a retry

	// SilenceLimit is how long a reused connection must be silent for a timeout to close other idle connections too; see
	// Get. 0 disables this.
	SilenceLimit time.Duration

	MaxBody   int64 // bytes of the response's body, after decompression
	UsualBody int64 // the expected size of a response without Content-Length
	// Account is charged for the memory of the body, and counts its bytes; nil for neither. The memory stays charged if
	// Get returns an Answer with a body.
	Account *quota.Account
}

// Answer is the response of a host. It has a body if the status is 200; other bodies are read and dropped.
type Answer struct {
	Status   int // 0 without a response
	Attempts int // how often the request was sent, at most twice
	Encoded  int // bytes of the body before decompression
	Header   http.Header
	Body     []byte // from package buffer, owned by the caller; its capacity is charged to the request's account
}

// Host is one server: how to reach it, and the idle connections to it. It is safe for concurrent use.
type Host struct {
	address string
	dialer  net.Dialer
	connect time.Duration // the timeout of dialing and the TLS handshake; 0 for none
	tls     *tls.Config   // nil for plain text
	head    []byte        // headers of every request, after its first line
	age     time.Duration // of a connection; 0 for no limit
	random  func() float64
	idle    idle

	inflaters sync.Pool // of *inflater, see its comment
}

// New returns a Host. It makes no connection.
func New(config Config) (*Host, error) {
	if config.IdleTime <= 0 {
		config.IdleTime = DefaultIdleTime
	}
	name, port := config.URL.Hostname(), config.URL.Port()
	h := &Host{dialer: net.Dialer{KeepAlive: 30 * time.Second}, connect: config.ConnectTimeout, age: config.MaxAge}
	if h.random = config.Random; h.random == nil {
		h.random = rand.Float64
	}
	h.idle.limit, h.idle.time = config.MaxIdle, config.IdleTime
	if h.idle.now = config.Now; h.idle.now == nil {
		h.idle.now = time.Now
	}
	if config.URL.Scheme == "https" {
		h.tls = secured(config.TLS, name)
	}
	if port == "" {
		port = map[bool]string{false: "80", true: "443"}[h.tls != nil]
	}
	h.address = net.JoinHostPort(name, port)
	host := Field{"Host", authority(config.URL.Host)}
	h.head = head(host, config.Compression, config.Fields)
	return h, errors.Join(checkFields([]Field{host}), checkFields(config.Fields))
}

// authority returns the value of the Host header: the host without the zone of an IPv6 address, which has no meaning for the
// server.
func authority(host string) string {
	if zone := strings.IndexByte(host, '%'); zone >= 0 {
		if end := strings.IndexByte(host[zone:], ']'); end >= 0 {
			return host[:zone] + host[zone+end:]
		}
	}
	return host
}

// Get makes the request and reads the whole response. The end of the context or the request's deadline aborts it; the
// error is then any error, or os.ErrDeadlineExceeded. If the connect timeout ends first, the error is ErrConnect.
//
// The request is sent once, with one exception: a server may close an idle connection at the moment in which it is reused.
// So if no byte was received over a reused connection, the request is sent a second time, over a new connection. The other
// idle connections are closed too, because a restart of the server has probably closed them.
//
// If a reused connection was silent until the deadline, and for at least SilenceLimit, a network device may have lost the
// state of its connections, as in a failover that drops packets without a reset. Then all connections that have been idle
// since before the request are closed, so that the next requests do not time out on one after the other. Connections that
// were used in between are kept.
//
// With an error, the Answer has what is known of the response.
func (h *Host) Get(ctx context.Context, request Request) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	if time.Until(request.Deadline) <= 0 {
		return Answer{}, os.ErrDeadlineExceeded
	}
	if err := request.check(); err != nil {
		return Answer{}, err
	}
	attempts, began := 1, h.idle.now()
	if c := h.idleFor(&request); c != nil {
		answer, err := c.exchange(ctx, &request)
		if err != nil && h.silentUntilLate(ctx, &request, c, err, began) {
			h.idle.closeBefore(began)
		}
		if err == nil || c.received > 0 || ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded) {
			answer.Attempts = attempts
			return answer, err
		}
		h.CloseIdle()
		attempts++
	}
	c, err := h.dial(ctx, request.Deadline)
	if err != nil {
		return Answer{Attempts: attempts}, err
	}
	answer, err := c.exchange(ctx, &request)
	answer.Attempts = attempts
	return answer, err
}

// silentUntilLate reports whether an exchange over a reused connection ended at a deadline without having received a byte
// for SilenceLimit. A cancelled context is no evidence about the connection.
func (h *Host) silentUntilLate(ctx context.Context, request *Request, c *conn, err error, began time.Time) bool {
	return request.SilenceLimit > 0 && c.received == 0 && errors.Is(err, os.ErrDeadlineExceeded) &&
		!errors.Is(ctx.Err(), context.Canceled) && h.idle.now().Sub(began) >= request.SilenceLimit
}

// idleFor returns an idle connection for the request, or nil.
func (h *Host) idleFor(request *Request) *conn {
	if request.Fresh {
		return nil
	}
	return h.idle.take(request.Deadline)
}

// CloseIdle closes the idle connections.
func (h *Host) CloseIdle() { h.idle.closeAll() }
