// Package http1 is an HTTP/1.1 client for the calls to the APIs: one GET at a time on a connection that is reused, in
// the caller's goroutine. The standard library dials, does TLS and parses the responses (http.ReadResponse). This
// package decides which connection a request uses, and whether the connection is reused afterwards.
//
// It is not a general HTTP client: it has no redirects, proxies, cookies or caches, no other method, and no HTTP/2. It
// does not interpret bodies. Its errors may contain data of a server; package client classifies them.
//
// A connection serves several callers, one after the other, so any doubt about a connection closes it: a response that
// is truncated or framed ambiguously, bytes after a response, bytes or an end while it was idle. Until it was silent
// for settleTime, it serves only calls with the same token.
//
// Read first: Host.Get.
package http1

import (
	"context"
	"crypto/tls"
	"errors"
	"hash/maphash"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"pixgraph/internal/delay"
	"pixgraph/internal/quota"
)

// Config is the address of a host and how to talk to it.
type Config struct {
	URL    *url.URL // http or https; only the host and the port are used
	Fields []Field  // headers of every request, in addition to Host and Accept-Encoding

	// Dial makes TCP connections, which must be sockets.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// TLS returns the configuration of a handshake, which is not modified. The server's name, the minimum version and
	// the protocol are set here.
	TLS func() *tls.Config

	Compression bool          // whether to request gzip; a response with gzip is read in any case
	MaxIdle     int           // maximum number of idle connections; 0 keeps none
	IdleTime    time.Duration // after which an idle connection is closed; 0 for DefaultIdleTime

	MaxAge time.Duration // after which a connection is not reused, less up to 10 % at random; 0 for no limit

	ConnectTimeout time.Duration // for dialing and the TLS handshake together; 0 for the request's deadline only

	Random delay.Random // for MaxAge
}

// DefaultIdleTime is the idle timeout of net/http. It is below the 100 s and more after which load balancers drop an
// idle connection.
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

	// SilenceLimit is how long a reused connection must be silent for a timeout to close other idle connections too;
	// see Get. 0 disables this.
	SilenceLimit time.Duration

	// Lingerer is notified if Get returns because ctx was cancelled, but its connection is in use: until the response
	// was read, at most DrainTime longer, or until the connection was made, at most ConnectTimeout after it was begun.
	// nil closes connections with a request at once.
	Lingerer Lingerer

	MaxBody   int64 // bytes of the response's body, after decompression
	UsualBody int64 // the expected size of a response without Content-Length
	// Account is charged for the memory of the body, and counts its bytes; nil for neither. The memory stays charged if
	// Get returns an Answer with a body.
	Account *quota.Account
}

// Lingerer is notified of the use of a connection that outlives its request.
type Lingerer interface {
	Linger() // before Get returns
	End()    // after that, when the connection is no longer in use
}

// Answer is the response of a host. It has a body if the status is 200; other bodies are read and dropped.
type Answer struct {
	Status   int // 0 without a response
	Attempts int // how often the request was sent
	// Unconnected says that there is no response because no connection was made.
	Unconnected bool
	Encoded     int // bytes of the body before decompression
	Header      http.Header
	Body        []byte // from package buffer, owned by the caller; its capacity is charged to the request's account
}

// Complete returns the configuration with the defaults of what is not set.
func (c Config) Complete() Config {
	if c.IdleTime <= 0 {
		c.IdleTime = DefaultIdleTime
	}
	return c
}

// Address returns the host and the port to dial.
func (c Config) Address() string {
	port := c.URL.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[c.URL.Scheme]
	}
	return net.JoinHostPort(c.URL.Hostname(), port)
}

// TooOld returns the time at which a new connection reaches its maximum age, the zero time for never. The age varies,
// so that connections that were made at the same time, by all gateways of a fleet, are not replaced at the same time.
func (c Config) TooOld() time.Time {
	if c.MaxAge <= 0 {
		return time.Time{}
	}
	return time.Now().Add(c.MaxAge - c.Random.UpTo(c.MaxAge/10))
}

// IsOld reports whether the time that TooOld returned for a connection has come.
func IsOld(tooOld, now time.Time) bool { return !tooOld.IsZero() && !now.Before(tooOld) }

// Host is one server: how to reach it, and the idle connections to it. It is safe for concurrent use.
type Host struct {
	config  Config
	address string
	usesTLS bool
	head    []byte // headers of every request, after its first line
	idle    idle
	bodies  Bodies
}

// New returns a Host. It makes no connection.
func New(config Config) (*Host, error) {
	config = config.Complete()
	host := Field{"Host", Authority(config.URL.Host)}
	h := &Host{
		config: config, address: config.Address(), usesTLS: config.URL.Scheme == "https",
		head: head(host, config.Compression, config.Fields),
		idle: idle{limit: config.MaxIdle, time: config.IdleTime, seed: maphash.MakeSeed()},
	}
	return h, errors.Join(checkFields([]Field{host}), checkFields(config.Fields))
}

// Authority returns the value of the Host header: the host without the zone of an IPv6 address, which has no meaning
// for the server.
func Authority(host string) string {
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
// The request is sent once, with one exception: a server may close an idle connection at the moment in which it is
// reused. So if no byte was received over a reused connection, the request is sent a second time, over a new
// connection. The other idle connections are closed too, because a restart of the server has probably closed them. A
// response whose status is OfConnection is such a close, of that connection only.
//
// If a reused connection was silent until the deadline, and for at least SilenceLimit, a network device may have lost
// the state of its connections, as in a failover that drops packets without a reset. Then all connections that have
// been idle since before the request are closed, so that the next requests do not time out on one after the other.
// Connections that were used in between are kept.
//
// With an error, the Answer has what is known of the response.
func (h *Host) Get(ctx context.Context, request Request) (Answer, error) {
	attempts, began := 1, time.Now()
	if err := request.Check(ctx, began); err != nil {
		return Answer{}, err
	}
	token := h.idle.hash(request.Bearer)
	if c := h.idle.take(&request, token, began); c != nil {
		c.token = token
		answer, received, err := c.exchange(ctx, &request)
		if received == 0 && request.WasSilent(ctx, err, began) {
			h.idle.closeBefore(began)
		}
		closed := err == nil && OfConnection(answer.Status)
		if !closed && (err == nil || received > 0) || ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded) {
			answer.Attempts = attempts
			return answer, err
		}
		if !closed {
			h.CloseIdle()
		}
		attempts++
	}
	c, err := h.dialFor(ctx, &request)
	if err != nil {
		return Answer{Attempts: attempts, Unconnected: true}, err
	}
	c.token = token
	answer, _, err := c.exchange(ctx, &request)
	answer.Attempts = attempts
	return answer, err
}

// WasSilent reports whether an exchange over a reused connection, which received nothing, ended at a deadline after
// SilenceLimit. A cancelled context is no evidence about the connection.
func (r *Request) WasSilent(ctx context.Context, err error, began time.Time) bool {
	return r.SilenceLimit > 0 && errors.Is(err, os.ErrDeadlineExceeded) &&
		!errors.Is(ctx.Err(), context.Canceled) && time.Since(began) >= r.SilenceLimit
}

// CloseIdle closes the idle connections.
func (h *Host) CloseIdle() { h.idle.closeAll() }
