package client

import "pixgraph/upstream"

// ServiceStats is the state of one service at a moment, and its counters since the client was created.
type ServiceStats struct {
	Service  upstream.Service
	Breaker  string // closed, open or half-open
	InFlight int    // calls in flight
	Waiting  int    // calls in the queue

	Retries   uint64 // attempts after the first
	Shed      uint64 // calls rejected because the queue was full or the breaker open
	Coalesced uint64 // calls that shared the response of another call
}

// Stats returns the state of both services, core first.
func (c *Client) Stats() []ServiceStats {
	return []ServiceStats{c.deposits.service.stats(), c.notification.service.stats()}
}

func (s *service) stats() ServiceStats {
	inFlight, waiting := s.queue.size()
	return ServiceStats{
		Service: s.name, Breaker: s.breaker.currentState(), InFlight: inFlight, Waiting: waiting,
		Retries: s.retries.Load(), Shed: s.shed.Load(), Coalesced: s.coalesced.Load(),
	}
}
