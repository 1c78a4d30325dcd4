// Package client calls the two read-only REST APIs behind the gateway, whose records package upstream describes. It makes one
// GET at a time over kept connections (upstream/http1), and protects the services and the callers from each other: deadlines,
// retries, coalescing, a circuit breaker, and queues that are fair between callers.
//
// It is not a cache, it does not know GraphQL, and it does not know who the caller is: an Operation brings the bearer token of
// its calls.
//
// Read first: Client.Open, then Session.get in exchange.go, which every call goes through, then endpoints.go.
package client

import (
	"errors"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"
	"unicode"

	"pixgraph/upstream"
)

// Config says where the APIs are and what a call may cost. The zero value of a limit is its default.
type Config struct {
	CoreURL       string // absolute http or https URL; a base path is kept
	DispatcherURL string

	PageParam    string // the name of the API's page number parameter; "" where it is not known
	PerPageParam string // the name of its page size parameter

	Compression          bool          // whether the APIs are asked for gzip
	Timeout              time.Duration // for one call, waiting for its turn and repeating it included
	ConnectTimeout       time.Duration // for dialing and the TLS handshake of a new connection
	ConnectionAge        time.Duration // after which a connection is not used again, less up to 10 % at random
	MaxBody              int64         // bytes of a body after decompression
	Concurrency          int           // exchanges under way per service
	Queue                int           // calls that wait for one, per service; one more is refused
	OperationConcurrency int           // calls under way per operation; of a Session

	Retries  int            // how many times a call is made again at most
	Breaker  BreakerConfig  // of each service
	Coalesce bool           // whether the same GET with the same token, at the same time, is made once
	Random   func() float64 // 0 to below 1, for pauses; nil for math/rand
}

// The defaults of Config.
const (
	// DefaultTimeout leaves a slow list of 100 records time, and is below the 15 s that mobile clients wait.
	DefaultTimeout = 10 * time.Second
	// DefaultConnectTimeout is one lost SYN, which is sent again after 1 s, and some more: a connection takes a few round
	// trips where nothing is lost.
	DefaultConnectTimeout = 2 * time.Second
	// DefaultConnectionAge has the connections follow within minutes where a name leads to other addresses, as after a
	// failover or when servers are added.
	DefaultConnectionAge = 5 * time.Minute
	// DefaultMaxBody is 15 times a page of 100 deposits with their QR codes.
	DefaultMaxBody = 8 << 20
	// DefaultConcurrency keeps the connections that a service sees from one gateway in the low hundreds.
	DefaultConcurrency = 256
	// queueRounds is how many calls may wait for each that may be under way: a full queue is gone in a fifth of a second while
	// a service answers in 50 ms.
	queueRounds = 4
	// DefaultOperationConcurrency lets a page of 20 links be followed in two rounds.
	DefaultOperationConcurrency = 16
)

// Client calls the two APIs, for each operation by a Session. It is safe for concurrent use.
type Client struct {
	endpoints
	paging paging
	config Config
}

// New checks the configuration and returns a Client. It makes no call.
func New(config Config) (*Client, error) {
	setDefault(&config.Timeout, DefaultTimeout)
	setDefault(&config.ConnectTimeout, DefaultConnectTimeout)
	setDefault(&config.ConnectionAge, DefaultConnectionAge)
	setDefault(&config.MaxBody, DefaultMaxBody)
	setDefault(&config.Concurrency, DefaultConcurrency)
	setDefault(&config.Queue, queueRounds*config.Concurrency)
	setDefault(&config.OperationConcurrency, DefaultOperationConcurrency)
	if config.Random == nil {
		config.Random = rand.Float64
	}
	core, err := newService(upstream.Core, config.CoreURL, config)
	if err != nil {
		return nil, err
	}
	dispatcher, err := newService(upstream.Dispatcher, config.DispatcherURL, config)
	if err != nil {
		return nil, err
	}
	return &Client{
		endpoints: newEndpoints(core, dispatcher),
		paging:    paging{config.PageParam, config.PerPageParam},
		config:    config,
	}, nil
}

// Close closes the idle connections.
func (c *Client) Close() {
	c.deposits.service.host.CloseIdle()
	c.notification.service.host.CloseIdle()
}

func setDefault[N int | int64 | time.Duration](value *N, fallback N) {
	if *value <= 0 {
		*value = fallback
	}
}

// ParseBaseURL checks the base URL of a service: absolute, http or https, without user, query and fragment, its host in
// ASCII.
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
