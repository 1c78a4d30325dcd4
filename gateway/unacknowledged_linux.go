package gateway

import (
	"time"

	"golang.org/x/sys/unix"
)

// boundUnacknowledged bounds the time for which data may stay unacknowledged. The connections of a listening socket
// inherit it.
func boundUnacknowledged(descriptor uintptr, limit time.Duration) error {
	return unix.SetsockoptInt(int(descriptor), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(limit.Milliseconds()))
}
