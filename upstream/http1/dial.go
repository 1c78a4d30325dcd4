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

// Connect makes a connection by open, whose context ends at the deadline or after the timeout; 0 for none. If the
// timeout ends first, the error is ErrConnect.
func Connect[C any](ctx context.Context, deadline time.Time, timeout time.Duration, open func(context.Context) (C, error)) (C, error) {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	connecting := ctx
	if timeout > 0 {
		connecting, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	c, err := open(connecting)
	if err != nil {
		err = reason(ctx, connecting, err)
	}
	return c, err
}

// reason returns the error for a connection that was not made. The dialer's own timer may fire before that of the
// context, with a different error.
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

// dialFor makes a connection for a request. If its caller leaves, the connection is for the next one.
func (h *Host) dialFor(ctx context.Context, request *Request) (*conn, error) {
	if request.Lingerer == nil {
		return h.dial(ctx, request.Deadline)
	}
	type dialed struct {
		*conn
		err error
	}
	ready := make(chan dialed)
	left := make(chan func(), 1) // receives what to call at the end when the caller has left
	go func() {
		d := dialed{err: errPanic}
		defer func() {
			_ = recover()
			select {
			case ready <- d:
			case end := <-left:
				if d.err == nil {
					d.token = h.idle.hash(request.Bearer)
					h.idle.put(d.conn)
				}
				end()
			}
		}()
		d.conn, d.err = h.dial(context.WithoutCancel(ctx), request.Deadline)
	}()
	select {
	case d := <-ready:
		return d.conn, d.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			request.Lingerer.Linger()
			left <- request.Lingerer.End
		} else {
			left <- func() {}
		}
		return nil, ctx.Err()
	}
}

// errPanic is the error of a connection that was not made because of a bug.
var errPanic = errors.New("panic while a connection was made")

// dial makes a connection, with TLS if the host uses it. It sets the connection's deadline.
func (h *Host) dial(ctx context.Context, deadline time.Time) (*conn, error) {
	c, err := Connect(ctx, deadline, h.config.ConnectTimeout, h.open)
	if err != nil {
		return nil, err
	}
	if err := c.socket.SetDeadline(deadline); err != nil {
		c.close()
		return nil, err
	}
	c.tooOld = h.config.TooOld()
	return c, nil
}

// open dials, and does the TLS handshake if the host uses TLS.
func (h *Host) open(ctx context.Context) (*conn, error) {
	raw, err := h.config.Dial(ctx, "tcp", h.address)
	if err != nil {
		return nil, err
	}
	socket, err := newSocket(raw)
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	c := newConn(h, socket)
	if !h.usesTLS {
		return c, nil
	}
	c.records = &recordConn{socket: socket}
	stream := tls.Client(c.records, h.tlsConfig())
	if err := stream.HandshakeContext(ctx); err != nil {
		c.close()
		return nil, err
	}
	c.stream = stream
	return c, nil
}

// tlsConfig returns the configuration of a TLS handshake.
func (h *Host) tlsConfig() *tls.Config {
	config := h.config.TLS().Clone()
	config.ServerName, config.MinVersion = h.config.URL.Hostname(), max(config.MinVersion, tls.VersionTLS12)
	config.NextProtos = []string{"http/1.1"}
	return config
}
