package client

import (
	"context"
	"net/http"
	"time"
)

// These functions give the external tests access to unexported code.

// RetryAfter parses a Retry-After header at the time now.
func RetryAfter(header http.Header, now time.Time) time.Duration { return retryAfter(header, now) }

// DepositsBody returns the body of a list of deposits.
func (s *Session) DepositsBody(ctx context.Context) ([]byte, error) {
	e := s.client.deposits
	body, _, err := s.get(ctx, e, e.service.url(nil, e.path))
	return body, err
}

// Joined returns the number of calls that wait for an identical call.
func (c *Client) Joined() int {
	return c.deposits.service.flights.waiters() + c.notification.service.flights.waiters()
}

func (fs *flights) waiters() (n int) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.waiting {
		n += f.waiters
	}
	return n
}
