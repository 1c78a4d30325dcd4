package listener

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// boundUnacknowledged bounds the time for which data may stay unacknowledged. The connections of a listening socket
// inherit it.
func boundUnacknowledged(descriptor uintptr, limit time.Duration) error {
	return unix.SetsockoptInt(int(descriptor), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(limit.Milliseconds()))
}

// hasLeft reports whether the client has closed its connection, or its direction of it. Data that it sent before may
// still be unread.
func hasLeft(conn syscall.Conn) (left bool) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Control(func(descriptor uintptr) {
		events := []unix.PollFd{{Fd: int32(descriptor), Events: unix.POLLRDHUP}} //nolint:gosec // a descriptor
		ready, err := unix.Poll(events, 0)
		left = err == nil && ready > 0
	})
	return left || err != nil
}
