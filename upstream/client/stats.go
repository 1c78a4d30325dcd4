package client

import "pixgraph/upstream"

// ServiceStats is how one service stands at a moment, and what was done about it since the client was made.
type ServiceStats struct {
	Service  upstream.Service
	Breaker  string // closed, open or half-open
	InFlight int    // calls under way
	Waiting  int    // calls that wait for their turn

	Retries   uint64 // attempts after the first
	Shed      uint64 // calls refused without being made: the queue was full, or the breaker open
	Coalesced uint64 // calls answered by another call under way
}

// Stats tells how both services stand, the core first.
func (c *Client) Stats() []ServiceStats {
	return []ServiceStats{c.deposits.service.stats(), c.notification.service.stats()}
}

func (s *service) stats() ServiceStats {
	busy, waiting := s.queue.stand()
	return ServiceStats{
		Service: s.name, Breaker: s.breaker.state(), InFlight: busy, Waiting: waiting,
		Retries: s.retries.Load(), Shed: s.dropped.Load(), Coalesced: s.joined.Load(),
	}
}
