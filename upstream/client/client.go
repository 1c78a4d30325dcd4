// Package client calls the two read-only REST APIs behind the gateway, whose records package upstream describes. It
// makes the calls with upstream/http1 or upstream/nethttp, and protects the services and the callers from each other:
// deadlines, retries, coalescing, a circuit breaker, and queues that are fair between callers.
//
// It is not a cache. It knows neither GraphQL nor identities: an Operation has the bearer token of its calls, and a key
// that distinguishes callers.
//
// Read first: Client.Open, then Session.get in exchange.go, which every call goes through, then endpoints.go.
package client

import (
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode"

	"pixgraph/internal/delay"
	"pixgraph/internal/egress"
	"pixgraph/upstream"
	"pixgraph/upstream/http1"
)

// Config holds the addresses of the APIs and the limits of calls. The zero value of a limit selects its default.
type Config struct {
	CoreURL       string // absolute http or https URL; it may have a base path
	DispatcherURL string

	Core, Dispatcher *egress.Access // certificates and proxies; nil for none. The caller closes them after the client
	HTTP             HTTP           // "" for HTTP1

	PageParam    string // the name of the API's page number parameter; "" if it is not known
	PerPageParam string // the name of the API's page size parameter; "" if it is not known

	Compression          bool          // whether to request gzip
	Timeout              time.Duration // of one call, with its time in the queue and its retries
	ConnectTimeout       time.Duration // of dialing and the TLS handshake of a new connection
	ConnectionAge        time.Duration // after which a connection is not reused, less up to 10 % at random
	ConnectionIdle       time.Duration // after which an idle connection is closed
	MaxBody              int64         // bytes of a body after decompression
	Concurrency          int           // exchanges in flight per service
	Queue                int           // calls that wait for an exchange, per service; further calls are rejected
	OperationConcurrency int           // calls in flight per operation

	Retries  int           // maximum number of retries of a call
	Breaker  BreakerConfig // of each service
	Coalesce bool          // whether equal calls with the same token that wait to be sent share one exchange
	Random   delay.Random
}

// HTTP is a client for HTTP.
type HTTP string

const (
	// HTTP1 is package http1: HTTP/1.1 only.
	HTTP1 HTTP = "http1"
	// NetHTTP is package nethttp: HTTP/2 if the server offers it, otherwise package http1.
	NetHTTP HTTP = "net"
)

// The defaults of Config.
const (
	// DefaultTimeout is enough for a slow list of 100 records, and below the 15 s that mobile clients wait.
	DefaultTimeout = 10 * time.Second
	// DefaultConnectTimeout allows for one lost SYN, which the kernel retransmits after 1 s. Without a loss a
	// connection takes a few round trips.
	DefaultConnectTimeout = 2 * time.Second
	// DefaultConnectionAge bounds the time until connections use new addresses of a name, as after a failover or when
	// servers are added.
	DefaultConnectionAge = 5 * time.Minute
	// DefaultMaxBody is 15 times the size of a page of 100 deposits with their QR codes.
	DefaultMaxBody = 8 << 20
	// DefaultConcurrency keeps the number of connections from one gateway to a service in the low hundreds.
	DefaultConcurrency = 256
	// queueFactor is the default of Config.Queue divided by Config.Concurrency: a full queue drains in a fifth of a
	// second if the service responds in 50 ms.
	queueFactor = 4
	// DefaultOperationConcurrency fetches the records of a page with 20 links in two rounds.
	DefaultOperationConcurrency = 16
)

// Client calls the two APIs. The calls of each operation go through a Session. It is safe for concurrent use.
type Client struct {
	endpoints
	services [2]*service // core and dispatcher
	config   Config
}

// New validates the configuration and returns a Client. It makes no call.
func New(config Config) (*Client, error) {
	setDefault(&config.Timeout, DefaultTimeout)
	setDefault(&config.ConnectTimeout, DefaultConnectTimeout)
	setDefault(&config.ConnectionAge, DefaultConnectionAge)
	setDefault(&config.ConnectionIdle, http1.DefaultIdleTime)
	setDefault(&config.MaxBody, DefaultMaxBody)
	setDefault(&config.Concurrency, DefaultConcurrency)
	setDefault(&config.Queue, queueFactor*config.Concurrency)
	setDefault(&config.OperationConcurrency, DefaultOperationConcurrency)
	core, err := newService(upstream.Core, config.CoreURL, config.Core, config)
	if err != nil {
		return nil, err
	}
	dispatcher, err := newService(upstream.Dispatcher, config.DispatcherURL, config.Dispatcher, config)
	if err != nil {
		return nil, err
	}
	return &Client{newEndpoints(core, dispatcher), [...]*service{core, dispatcher}, config}, nil
}

// Close closes the idle connections.
func (c *Client) Close() {
	for _, s := range c.services {
		s.host.CloseIdle()
	}
}

func setDefault[N int | int64 | time.Duration](value *N, fallback N) {
	if *value <= 0 {
		*value = fallback
	}
}

// ParseBaseURL parses the base URL of a service: an absolute http or https URL without a user, query or fragment, with
// an ASCII host.
func ParseBaseURL(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("is not a URL")
	case base.Scheme != "http" && base.Scheme != "https", base.Hostname() == "":
		return nil, errors.New("must be an absolute http or https URL")
	case base.User != nil, base.RawQuery != "", base.ForceQuery, base.Fragment != "":
		return nil, errors.New("must not have a user, a query or a fragment")
	case strings.ContainsFunc(base.Host, func(r rune) bool { return r > unicode.MaxASCII }):
		return nil, errors.New("must have its host name in ASCII: others are written in punycode")
	}
	return base, nil
}
