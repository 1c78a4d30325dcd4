package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pixgraph/gateway/settings"
)

// listen opens the public and the admin address. The error names each address that cannot be opened.
func listen(ctx context.Context, s settings.Settings) (public, admin net.Listener, err error) {
	unacknowledged := unacknowledgedHeartbeats * s.Streams.Heartbeat
	public, publicErr := open(ctx, "listen", s.Listen, unacknowledged)
	admin, adminErr := open(ctx, "admin_listen", s.AdminListen, unacknowledged)
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

// open opens the address of a setting. A connection ends when its client has not acknowledged data for the given time,
// such as one that lost its network: without it, a stream would be served until TCP gives up, after about 15 minutes.
func open(ctx context.Context, setting, address string, unacknowledged time.Duration) (net.Listener, error) {
	if path, isUnix := settings.UnixPath(address); isUnix {
		return openUnix(ctx, setting, path)
	}
	config := net.ListenConfig{Control: func(_, _ string, socket syscall.RawConn) (err error) {
		failed := socket.Control(func(descriptor uintptr) { err = boundUnacknowledged(descriptor, unacknowledged) })
		return errors.Join(failed, err)
	}}
	listener, err := config.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: %s is in use, maybe by another gateway; set another address, such as --%s=%s",
			setting, address, strings.ReplaceAll(setting, "_", "-"), nextPort(address))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return tcpListener{listener, make(chan struct{}, servedLeft)}, nil
}

// nextPort is the address with the next port.
func nextPort(address string) string {
	host, port, _ := net.SplitHostPort(address)
	number, _ := strconv.ParseUint(port, 10, 16) // settings accepts only numbers
	return net.JoinHostPort(host, strconv.Itoa(int(uint16(number)+1)))
}
