package live

import (
	"context"

	"pixgraph/upstream/client"
)

// clientSource reads from the REST APIs.
type clientSource struct {
	client   *client.Client
	observer client.Observer
}

// FromClient returns the Source that reads from the REST APIs. The observer may be nil.
func FromClient(c *client.Client, observer client.Observer) Source { return clientSource{c, observer} }

// Read implements Source.
func (s clientSource) Read(ctx context.Context, token Token, subject Subject, first bool, seen *client.Digest) (*Reading, error) {
	session := s.client.Open(client.Operation{
		Bearer: token.Bearer, Caller: token.Caller, Observer: s.observer, Background: !first, Seen: seen,
	})
	reading, err := subject.read(ctx, session)
	if err != nil {
		session.End()
		return nil, err
	}
	reading.Session, reading.release = session, session.End
	return reading, nil
}
