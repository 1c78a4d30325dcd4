package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/cors"
	"pixgraph/serve/websocket"
	"pixgraph/upstream/live"
)

// webSocketsOf returns the configuration of WebSockets.
func (g *Gateway) webSocketsOf(allowed cors.CORS) websocket.Config {
	g.connected = quota.NewPool(int64(cmp.Or(g.config.Live.Streams, live.DefaultStreams)), 1)
	return websocket.Config{
		Session:   g.newSession,
		Origin:    allowed.Allows,
		Heartbeat: g.config.Live.Heartbeat, Lifetime: g.config.Live.Lifetime,
	}
}

// socketCalls bounds the calls in flight of a WebSocket, of all of its operations together. A hundred lists at the same
// time kept the APIs and the gateway so busy that others waited twenty times as long, and took longer themselves.
const socketCalls = 8

// session is the caller of a WebSocket.
type session struct {
	gateway  *Gateway
	origin   request.Origin       // of the request that opened the connection
	tls      *tls.ConnectionState // of the connection, until Authenticate; nil without TLS
	verified func() bool
	calls    quota.Semaphore // in flight, of all operations: each may wait for them as long as it may take
	identity *auth.Identity  // nil before Authenticate
	share    string          // for which the connection counts
}

// newSession begins a session. It does not keep the call, which has the buffers of net/http, 10 KiB.
func (g *Gateway) newSession(call *request.Call, r *http.Request) websocket.Session {
	verified := func() bool { return true }
	if g.config.Verified != nil {
		verified = g.config.Verified(r)
	}
	return &session{gateway: g, origin: call.Origin, tls: r.TLS, verified: verified, calls: make(quota.Semaphore, socketCalls)}
}

// closeCrowded closes a connection that is one too many.
var closeCrowded = &websocket.CloseError{Code: 1013, Reason: "too many connections: connect later"}

// Authenticate implements websocket.Session, as the step authenticate does for a request.
func (s *session) Authenticate(ctx context.Context, authorization []string) (time.Time, error) {
	r := (&http.Request{Header: http.Header{"Authorization": authorization}, TLS: s.tls}).WithContext(ctx)
	s.tls = nil
	identity, err := s.gateway.config.Authenticator.Authenticate(r)
	s.gateway.countAddress(s.origin.Peer, err)
	if err != nil {
		s.gateway.logRefused(ctx, "websocket without a valid token", s.origin.ID, s.origin.Peer, err)
		return time.Time{}, closeRefused(err)
	}
	call := request.Call{Identity: identity}
	s.identity, s.share = identity, call.Share()
	if err := s.gateway.unaccepted.take(s, s.share, s.take); err != nil {
		s.identity = nil
		s.gateway.counts.limitHit(limitAllStreams)
		return time.Time{}, err
	}
	return identity.Expiry(), nil
}

// take takes a place among the WebSockets for the share of the connection.
func (s *session) take() error {
	if !s.gateway.connected.Take(s.share, 1) {
		return closeCrowded
	}
	return nil
}

// settle implements holder.
func (s *session) settle() bool {
	call := request.Call{Identity: s.identity}
	own := call.Share()
	if own == s.share || !s.gateway.connected.Take(own, 1) {
		return false
	}
	s.gateway.connected.Return(s.share, 1)
	s.share = own
	return true
}

// closeRefused returns the close code for a token that was not accepted. Clients connect again after 4403, with a new
// token, and after 1013, but not after 4401.
func closeRefused(err error) *websocket.CloseError {
	var refused *auth.Error
	switch {
	case !errors.As(err, &refused):
		return &websocket.CloseError{Code: 1011, Reason: "internal error"}
	case refused.Unavailable():
		return &websocket.CloseError{Code: 1013, Reason: refused.Public()}
	case refused.Reason == auth.ReasonExpired:
		return &websocket.CloseError{Code: 4403, Reason: refused.Public()}
	default:
		return &websocket.CloseError{Code: 4401, Reason: refused.Public()}
	}
}

// Begin implements websocket.Session: each message is a call with its own id and account.
func (s *session) Begin(ctx context.Context) (context.Context, *request.Call) {
	ctx, call := request.New(ctx)
	call.Origin, call.Identity, call.Calls = s.origin, s.identity, s.calls
	call.ID = newRequestID()
	call.Account = quota.NewAccount(s.gateway.memory, call.Share(), s.gateway.config.Bytes)
	return ctx, call
}

// Verified implements websocket.Session.
func (s *session) Verified() bool { return s.verified() }

// End implements websocket.Session.
func (s *session) End() {
	if s.identity != nil {
		s.gateway.unaccepted.end(s)
		s.gateway.connected.Return(s.share, 1)
		s.identity = nil
	}
}
