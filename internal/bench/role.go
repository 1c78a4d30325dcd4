package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// announcement is what a role prints once it listens; its address follows.
const announcement = "serving "

// serveRole listens on a free port, tells which, and serves until its input ends, which is when the process that started
// it stops it or is gone.
func serveRole(ctx context.Context, stdin io.Reader, stdout io.Writer, serve func(net.Listener) error) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve(listener) }()
	if _, err := fmt.Fprintln(stdout, announcement+listener.Addr().String()); err != nil {
		_ = listener.Close()
		return errors.Join(err, <-ended)
	}
	go func() { // ends with the process at the latest
		_, _ = io.Copy(io.Discard, stdin)
		_ = listener.Close()
	}()
	if err := <-ended; !errors.Is(err, net.ErrClosed) && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serveHTTP is for serveRole.
func serveHTTP(handler http.Handler) func(net.Listener) error {
	return func(listener net.Listener) error {
		server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout}
		defer server.Close()
		return server.Serve(listener)
	}
}

// headerTimeout is as the gateway's.
const headerTimeout = 5 * time.Second

// newTransport is tuned as the gateway's is for its calls.
func newTransport() *http.Transport {
	const connections = 256
	return &http.Transport{
		MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections,
		IdleConnTimeout: 90 * time.Second, DisableCompression: true,
	}
}
