package fleet_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"

	"pixgraph/internal/fleet"
	"pixgraph/internal/redistest"
)

// TestInspectSilent: a published message does not arrive if connections lead to different servers.
func TestInspectSilent(t *testing.T) {
	t.Parallel()
	a, b := redistest.Start(t), redistest.Start(t)
	var made atomic.Int32
	for name, to := range map[string]*redistest.Server{"one server": a, "two servers": b} {
		made.Store(0)
		found, err := fleet.Inspect(t.Context(), fleet.Config{
			URL: urlOf(a.Address()), Prefix: prefix, Log: slog.New(slog.DiscardHandler), TLS: func() *tls.Config { return nil },
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				if made.Add(1) > 1 { // that of the subscription
					address = to.Address()
				}
				return new(net.Dialer).DialContext(ctx, network, address)
			},
		})
		if err != nil || found.Silent != (to == b) || found.Failed != nil || len(found.Denied) > 0 {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}
