package upstream

import (
	"context"
	"time"

	"pixgraph/upstream/wire"
)

// What the external tests reach inside for: reading bytes without a server, and a clock.

// Decode reads one record of the core API.
func Decode[T Resource](raw []byte) (*T, error) {
	value, err := wire.Index(raw)
	if err != nil {
		return nil, &Error{Op: "read a record", Service: Core, Kind: KindInvalidResponse, Err: err}
	}
	return Record[T]{Core, value}.Decode()
}

// DecodePage reads the envelope of a list.
func DecodePage[T Resource](raw []byte) (*Page[T], error) {
	value, err := wire.Index(raw)
	if err != nil {
		return nil, err
	}
	return ReadPage[T](value)
}

// Index walks the members of one object, as every decoding begins.
func Index(raw []byte) (members int, err error) {
	value, err := wire.Index(raw)
	if err != nil {
		return 0, err
	}
	parts, err := value.Members()
	return parts.Len(), err
}

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
