// Package listener opens the addresses on which clients connect to a gateway: TCP ports and unix sockets of the
// operating system. It bounds what a connection costs while its client is slow, silent or gone.
//
// It serves no requests. Read Open first.
package listener

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

// Open opens the address of a setting. A connection ends when its client has not acknowledged data for the given time,
// such as one that lost its network: without it, a stream would be served until TCP gives up, after about 15 minutes.
func Open(ctx context.Context, setting, address string, unacknowledged time.Duration) (net.Listener, error) {
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

// Address returns the address of a listener in the form of the setting.
func Address(l net.Listener) string {
	if at, isUnix := l.Addr().(*net.UnixAddr); isUnix {
		return "unix:" + at.Name
	}
	return l.Addr().String()
}
