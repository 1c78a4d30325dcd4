package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// A gateway shuts down in three steps, so that no request is lost. First readiness turns off, and load balancers have
// shutdown_delay to notice it; until then the gateway serves every request, and ends the streams one after the other.
// Then it accepts no more connections, and running operations and downloads may finish. Last, when shutdown_timeout is
// over, downloads end as incomplete, and operations that still run are aborted.

// downloadEnd is the time that downloads have to say that they are incomplete, before shutdown_timeout is over.
const downloadEnd = 2 * time.Second

// closeWhileDraining makes every response close its connection while the gateway drains. The client's next request then
// opens a new connection, which the load balancer sends to another gateway. Idle connections are not closed, because a
// client may be sending a request at that moment.
func closeWhileDraining(next http.Handler, draining *atomic.Bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// drain shuts the gateway down. err is why it serves no more; nil for a signal.
func (g *instance) drain(ctx context.Context, err error) error {
	delay, timeout := g.settings.ShutdownDelay, g.settings.ShutdownTimeout
	g.draining.Store(true)
	g.log.Info("draining", "delay", delay.String(), "timeout", timeout.String())
	g.gateway.DrainStreams(delay)
	if err == nil && delay > 0 {
		err = await(time.After(delay), g.ended)
	}
	g.gateway.EndStreams() // Shutdown does not see their connections
	defer time.AfterFunc(max(timeout-downloadEnd, timeout/2), g.gateway.EndDownloads).Stop()
	err = errors.Join(err, shutdown(ctx, g.publicServer, timeout))
	_ = g.adminServer.Close() // it reported until now that the gateway is not ready
	g.serving.Wait()
	if err == nil {
		g.log.Info("stopped")
	}
	return err
}

// shutdown accepts no more requests, waits until running requests are finished, and aborts those that exceed the
// timeout.
func shutdown(ctx context.Context, server *http.Server, timeout time.Duration) error {
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
