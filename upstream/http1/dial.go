package http1

import (
	"context"
	"crypto/tls"
	"errors"
	"os"
	"time"
)

// ErrConnect reports that no connection was ready within Config.ConnectTimeout. No request was sent.
var ErrConnect = errors.New("no connection was made within the connect timeout")

// sessions is the number of TLS sessions that are kept for resumption:
//
//   - Key: the server's name; a host has one. No client certificate is used, so a session belongs to no caller.
//   - Bound: one session, with a ticket of at most 64 KiB and certificates of at most 256 KiB, which crypto/tls enforces.
//   - Filled by: the server, with each ticket that it sends.
//   - Emptied by: the next ticket, and a failed handshake.
const sessions = 1

// secured returns the TLS configuration of a host.
func secured(base *tls.Config, name string) *tls.Config {
	config := &tls.Config{}
	if base != nil {
		config = base.Clone()
	}
	config.ServerName, config.MinVersion, config.NextProtos = name, max(config.MinVersion, tls.VersionTLS12), []string{"http/1.1"}
	config.ClientSessionCache = tls.NewLRUClientSessionCache(sessions)
	return config
}

// dial makes a connection, with TLS if the host uses it. It sets the connection's deadline.
func (h *Host) dial(ctx context.Context, deadline time.Time) (*conn, error) {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	connecting := ctx
	if h.connect > 0 {
		connecting, cancel = context.WithTimeout(ctx, h.connect)
		defer cancel()
	}
	c, err := h.open(connecting)
	if err == nil {
		if err = c.socket.SetDeadline(deadline); err == nil {
			c.tooOld = h.tooOld()
			return c, nil
		}
		c.close()
	}
	return nil, reason(ctx, connecting, err)
}

// reason returns the error for a connection that was not made. The dialer's own timer may fire before that of the context,
// with a different error.
func reason(ctx, connecting context.Context, err error) error {
	ended := connecting.Err()
	if ended == nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)) {
		ended = context.DeadlineExceeded
	}
	whole, _ := ctx.Deadline()
	part, _ := connecting.Deadline()
	switch {
	case ended == nil:
		return err
	case errors.Is(ended, context.DeadlineExceeded) && part.Before(whole):
		return ErrConnect
	default:
		return ended
	}
}

// tooOld returns the time at which a new connection reaches its maximum age. The age varies, so that connections that were made at the same
// time, by all gateways of a fleet, are not replaced at the same time.
func (h *Host) tooOld() time.Time {
	if h.age <= 0 {
		return time.Time{}
	}
	return h.idle.now().Add(h.age - time.Duration(h.random()*float64(h.age)/10))
}

// open dials, and does the TLS handshake if the host uses TLS.
func (h *Host) open(ctx context.Context) (*conn, error) {
	raw, err := h.dialer.DialContext(ctx, "tcp", h.address)
	if err != nil {
		return nil, err
	}
	socket, err := newSocket(raw)
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	c := newConn(h, socket)
	if h.tls == nil {
		return c, nil
	}
	c.secure = &framed{socket: socket}
	secure := tls.Client(c.secure, h.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		c.close()
		return nil, err
	}
	c.stream = secure
	return c, nil
}
