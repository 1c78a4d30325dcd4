//go:build !linux

package listener

import (
	"syscall"
	"time"
)

// boundUnacknowledged does nothing: the system bounds the time.
func boundUnacknowledged(uintptr, time.Duration) error { return nil }

// hasLeft reports false: net/http notices later that a client has left.
func hasLeft(syscall.Conn) bool { return false }
