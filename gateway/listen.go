package gateway

import (
	"context"
	"errors"
	"net"

	"pixgraph/gateway/listener"
	"pixgraph/gateway/settings"
)

// listen opens the public and the admin address. The error names each address that cannot be opened.
func listen(ctx context.Context, s settings.Settings) (public, admin net.Listener, err error) {
	unacknowledged := unacknowledgedHeartbeats * s.Streams.Heartbeat
	public, publicErr := listener.Open(ctx, "listen", s.Listen, unacknowledged)
	admin, adminErr := listener.Open(ctx, "admin_listen", s.AdminListen, unacknowledged)
	if err = errors.Join(publicErr, adminErr); err != nil {
		for _, opened := range []net.Listener{public, admin} {
			if opened != nil {
				_ = opened.Close()
			}
		}
	}
	return public, admin, err
}

// unacknowledgedHeartbeats is the number of heartbeats after which a connection ends whose client acknowledges nothing.
const unacknowledgedHeartbeats = 2
