package gateway

import (
	"context"
	"errors"
	"net"

	"pixgraph/gateway/listener"
	"pixgraph/gateway/settings"
)

// listen opens the public and the admin address. The error names each address that cannot be opened.
func (p Process) listen(ctx context.Context, s settings.Settings) (public, admin net.Listener, err error) {
	open := func(setting, address string) (net.Listener, error) {
		if p.Sockets != nil {
			return p.Sockets.ListenOn(address)
		}
		return listener.Open(ctx, setting, address, unacknowledgedHeartbeats*s.Streams.Heartbeat)
	}
	public, publicErr := open("listen", s.Listen)
	admin, adminErr := open("admin_listen", s.AdminListen)
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
