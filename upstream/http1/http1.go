// Package http1 is the client side of HTTP/1.1 as the calls to the APIs need it: one GET at a time on a kept connection,
// in the caller's goroutine. The standard library dials, does TLS and parses the answers (http.ReadResponse); what is here
// is which connection a request goes over, and what becomes of it afterwards.
//
// It is no client for the web: it knows no redirects, proxies, cookies and caches, no other method, and no HTTP/2. It does
// not know what a body is about, and its errors may hold what a server sent: package upstream classes them.
//
// A kept connection serves one caller after the other, so whatever is in doubt about one ends it: an answer cut short or
// framed in two ways, bytes behind an answer, bytes or an end while it was idle.
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

// Config says where a host is and how it is spoken to.
type Config struct {
	URL    *url.URL    // http or https; of it the host and the port are used
	TLS    *tls.Config // nil for the system's authorities; the server's name and the least version are set here
	Fields []Field     // header of every request, beside Host and Accept-Encoding

	Compression bool          // whether gzip is asked for; an answer that comes in gzip is read either way
	MaxIdle     int           // connections that are kept; none at 0
	IdleTime    time.Duration // after which one is closed; 0 for DefaultIdleTime

	MaxAge time.Duration // after which a connection is not used again, less up to 10 % at random; 0 for no limit

	ConnectTimeout time.Duration // for dialing and the TLS handshake together; 0 for no more than the request's deadline

	Now    func() time.Time // the clock of the connections' age; nil for time.Now
	Random func() float64   // 0 to below 1, for MaxAge; nil for math/rand
}

// DefaultIdleTime is that of Go's own client: below the 100 s and more after which balancers drop a silent connection.
const DefaultIdleTime = 90 * time.Second

// Field is one line of a request's header.
type Field struct{ Name, Value string }

// Request is one GET.
type Request struct {
	Target   string    // path and query, escaped
	Bearer   string    // the token of its Authorization; "" sends none
	Fields   []Field   // more of its header; those with an empty value are not sent
	Deadline time.Time // when the exchange must be over, dialing included
	Fresh    bool      // whether it goes over a new connection, and so is sent once: it is a repetition already

	// SilenceLimit is how long a kept connection may be silent before a timeout counts against the other idle ones too:
	// see Get. 0 for however long.
	SilenceLimit time.Duration

	MaxBody   int64 // bytes of the answer's body, after decompression
	UsualBody int64 // what to expect of an answer that does not tell its length
	// Account is charged for the memory of the body, and counts its bytes; nil for neither. The memory stays charged where
	// there is an Answer with a body.
	Account *quota.Account
}

// Answer is what a host answered. It has a body if the status is 200; that of any other is read and dropped.
type Answer struct {
	Status   int // 0 where no answer came
	Attempts int // to send the request, 2 at most
	Encoded  int // bytes of the body as it came, before decompression
	Header   http.Header
	Body     []byte // from package buffer, and the caller's; its capacity is charged to the request's account
}

// Host is one server: how to reach it, and the idle connections to it. It is safe for concurrent use.
type Host struct {
	address string
	dialer  net.Dialer
	connect time.Duration // the timeout of dialing and the TLS handshake; 0 for none
	tls     *tls.Config   // nil for plain text
	head    []byte        // of every request, behind its first line
	age     time.Duration // of a connection; 0 for no limit
	random  func() float64
	idle    idle

	inflaters sync.Pool // of *inflater, see there
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
	h.idle.most, h.idle.time = config.MaxIdle, config.IdleTime
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

// authority is what the Host header says: without the zone of an IPv6 address, which means nothing to others.
func authority(host string) string {
	if zone := strings.IndexByte(host, '%'); zone >= 0 {
		if end := strings.IndexByte(host[zone:], ']'); end >= 0 {
			return host[:zone] + host[zone+end:]
		}
	}
	return host
}

// Get makes the request and reads its answer, whole. The end of the context, or the request's deadline, breaks it off; the
// error may then be any, or os.ErrDeadlineExceeded. Where the connect timeout ends before both, it is ErrConnect.
//
// The request is sent once, with one exception: a server may close a kept connection in the moment in which it is used
// again. So where not a byte came back over one, the other idle connections are given up too, as likely lost by the same
// restart, and the request is sent once more over a new one. It is never sent three times.
//
// Where a kept connection was silent until the deadline, and for SilenceLimit at least, a device on the way may have lost
// its connections, as in a failover that drops packets without a reset. Then all that were idle since before the request
// are closed, so that the next requests do not time out on one after the other. Those that were used in between are kept.
//
// An error comes with what is known of the answer.
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

// silentUntilLate reports whether an exchange over a kept connection ended at a deadline, not a byte having come for
// SilenceLimit. A caller that goes away says nothing about the connection.
func (h *Host) silentUntilLate(ctx context.Context, request *Request, c *conn, err error, began time.Time) bool {
	return request.SilenceLimit > 0 && c.received == 0 && errors.Is(err, os.ErrDeadlineExceeded) &&
		!errors.Is(ctx.Err(), context.Canceled) && h.idle.now().Sub(began) >= request.SilenceLimit
}

// idleFor is an idle connection to send the request over, nil when there is none.
func (h *Host) idleFor(request *Request) *conn {
	if request.Fresh {
		return nil
	}
	return h.idle.take(request.Deadline)
}

// CloseIdle closes the idle connections.
func (h *Host) CloseIdle() { h.idle.closeAll() }
