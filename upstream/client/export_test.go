package client

import (
	"context"
	"time"
)

// What the external tests reach inside for: the clock, bodies, and who waits.

// RetryAfter reads the header of that name as if it were now.
func RetryAfter(value string, now time.Time) time.Duration { return retryAfter(value, now) }

// DepositsBody gets the body of a list of deposits, in the memory that its operation holds.
func (s *Session) DepositsBody(ctx context.Context) ([]byte, error) {
	to := s.client.deposits
	body, _, err := s.get(ctx, to, to.service.url(nil, to.path))
	return body, err
}

// Joined is how many wait for calls to the core that others make.
func (c *Client) Joined() int { return c.deposits.service.flights.waiting() }

// JoinedDispatcher is the same of the dispatcher.
func (c *Client) JoinedDispatcher() int { return c.notification.service.flights.waiting() }

func (fs *flights) waiting() (n int) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.under {
		n += f.waiting
	}
	return n
}
