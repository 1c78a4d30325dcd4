package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// A gateway is taken out of service in three steps, so that no request is lost: readiness turns off, and whoever balances
// over several gateways gets the time of shutdown_delay to see it, in which everything is still answered; then no more
// connection is taken, and what runs may finish; then what still runs is cut off.

// partWays has every answer end its connection while the gateway drains: the client's next request opens another one,
// which a balancer leads elsewhere. Connections are not closed under a client that may be sending at that moment.
func partWays(next http.Handler, draining *atomic.Bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// drain takes no more requests, waits until those that run are answered, and cuts off what is not done in time.
func drain(ctx context.Context, server *http.Server, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	err := server.Shutdown(ctx)
	_ = server.Close()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("shutdown: operations still ran after %s: %w", timeout, err)
	case err != nil:
		return fmt.Errorf("shutdown: %w", err)
	default:
		return nil
	}
}
