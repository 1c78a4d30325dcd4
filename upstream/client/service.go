package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"pixgraph/internal/distinct"
	"pixgraph/internal/egress"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/http1"
	"pixgraph/upstream/nethttp"
)

// service is one API: its address, the client with the connections to it, and the parts that protect it and its
// callers.
type service struct {
	name       upstream.Service
	path       string // of the base URL, escaped, without a trailing slash
	host       host
	breakers   *breakers
	queue      *quota.Queue // of the calls in flight that somebody waits for
	background *quota.Queue // of the others
	budget     budget
	limited    budget // of calls that the service has rejected with 429
	flights    flights
	refusals   *distinct.Callers // whose tokens the API accepts and refuses
	faults     *distinct.Callers // for whom the API responds and fails

	retries, shed, coalesced atomic.Uint64 // the counters of ServiceStats
}

// backgroundShare is the divisor of the part of Config.Concurrency that is for calls in the background, such as the
// reads of streams: a quarter. The calls that somebody waits for cannot take it, and it cannot take theirs.
const backgroundShare = 4

// host makes the exchanges with one API, and has the connections to it. *http1.Host and *nethttp.Host implement it.
type host interface {
	Get(context.Context, http1.Request) (http1.Answer, error)
	CloseIdle()
}

func newHost(base *url.URL, access *egress.Access, config Config) (host, error) {
	if access == nil {
		access = egress.Direct()
	}
	c := http1.Config{
		URL: base, Dial: access.Dial, TLS: access.TLS, Compression: config.Compression, MaxIdle: config.Concurrency,
		ConnectTimeout: config.ConnectTimeout, MaxAge: config.ConnectionAge, IdleTime: config.ConnectionIdle, Random: config.Random,
		Fields: []http1.Field{{Name: "User-Agent", Value: "pixgraph"}, {Name: "Accept", Value: "application/json"}},
	}
	if config.HTTP == NetHTTP {
		return nethttp.New(c, access.Transport)
	}
	return http1.New(c)
}

func newService(name upstream.Service, baseURL string, access *egress.Access, config Config) (*service, error) {
	base, err := ParseBaseURL(baseURL)
	if err != nil {
		return nil, fmt.Errorf("upstream: the URL of %s %w", name, err)
	}
	host, err := newHost(base, access, config)
	if err != nil {
		return nil, fmt.Errorf("upstream: %s: %w", name, err)
	}
	s := &service{name: name, path: strings.TrimSuffix(base.EscapedPath(), "/"), host: host}
	reserved := max(config.Concurrency/backgroundShare, 1)
	s.queue = quota.NewQueue(max(config.Concurrency-reserved, 1), config.Queue)
	s.background = quota.NewQueue(reserved, config.Queue)
	s.refusals, s.faults = distinct.New(), distinct.New()
	s.flights.waiting = map[flightKey]*flight{}
	s.budget.fill()
	s.limited.fill()
	// When the breaker opens, the waiting calls are rejected. Otherwise each would wait for its turn first.
	s.breakers = newBreakers(config.Breaker, func() { s.queue.RejectAll(errBreakerOpen) })
	return s, nil
}

// url joins the path of the base URL and the path segments. The segments are escaped, so an id may contain any
// character.
func (s *service) url(query url.Values, segments ...string) string {
	var target strings.Builder
	target.Grow(len(s.path) + 80) // an id has 36 characters
	target.WriteString(s.path)
	for _, segment := range segments {
		target.WriteByte('/')
		target.WriteString(url.PathEscape(segment))
	}
	if len(query) > 0 {
		target.WriteByte('?')
		target.WriteString(query.Encode())
	}
	return target.String()
}

// ServiceStats is the state of one service at a moment, and its counters since the client was created.
type ServiceStats struct {
	Service  upstream.Service
	Breaker  string // closed, open or half-open
	InFlight int    // calls in flight
	Waiting  int    // calls in the queue

	Retries   uint64 // attempts after the first
	Shed      uint64 // calls rejected because the queue was full or the breaker of the service open
	Coalesced uint64 // calls that shared the response of another call

	// Callers had a call lately; CallersFailed one to which the API did not respond as it should; and CallersRefused
	// only such with 401 and 403.
	Callers, CallersFailed, CallersRefused int
}

// count counts the caller of an exchange.
func (s *service) count(caller string, status int, err error) {
	switch {
	case err != nil && upstream.KindOf(err).Reaction().Fault:
		s.faults.Add(caller, false)
	case status != 0:
		s.faults.Add(caller, true)
		s.refusals.Add(caller, status != http.StatusUnauthorized && status != http.StatusForbidden)
	}
}

// Stats returns the state of both services, core first.
func (c *Client) Stats() []ServiceStats {
	return []ServiceStats{c.services[0].stats(), c.services[1].stats()}
}

func (s *service) stats() ServiceStats {
	inFlight, waiting := s.queue.Size()
	background, late := s.background.Size()
	faults := s.faults.Count()
	return ServiceStats{
		Service: s.name, Breaker: s.breakers.state(), InFlight: inFlight + background, Waiting: waiting + late,
		Retries: s.retries.Load(), Shed: s.shed.Load(), Coalesced: s.coalesced.Load(),
		Callers: faults.All, CallersFailed: faults.Failed, CallersRefused: s.refusals.Count().Unsuccessful,
	}
}
