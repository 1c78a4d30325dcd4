package live

import (
	"context"
	"time"

	"pixgraph/upstream/client"
)

// Source reads subjects from the APIs.
type Source interface {
	// Read reads a subject with a token. first says that streams have no answer yet, so that the read may wait for its
	// turn; later reads give way to queries. seen is the digest of the last response, and is replaced by that of this
	// one. The error is client.ErrUnchanged if both are the same, or else an *upstream.Error. The reading must be
	// released.
	Read(ctx context.Context, token Token, subject Subject, first bool, seen *client.Digest) (*Reading, error)
}

// Token is what a stream reads with.
type Token struct {
	Bearer string // sent to the two APIs only
	Key    string // its SHA-256; watches are never shared between keys
	Caller string // the caller that it identifies, for bounds and for fairness
	// Share returns the caller's key in what all callers share, at the time of the call; nil for Caller.
	Share   func() string
	Address string    // the key of rate limits by address; "" without them
	Expires time.Time // a stream ends then; the zero time for never
}

// share returns the caller's key in what all callers share.
func (t *Token) share() string {
	if t.Share == nil {
		return t.Caller
	}
	return t.Share()
}

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
		Bearer: token.Bearer, Caller: token.Caller, Share: token.share(), Observer: s.observer, Background: !first, Seen: seen,
	})
	reading, err := subject.read(ctx, session)
	if err != nil {
		session.End()
		return nil, err
	}
	reading.Session, reading.release = session, session.End
	return reading, nil
}
