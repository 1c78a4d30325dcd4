package listener

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestUnacknowledged: a connection ends when its client acknowledges nothing for the given time, because it lost its
// network.
func TestUnacknowledged(t *testing.T) {
	listener := open(t, "127.0.0.1:0", 14*time.Second)
	if limit := acceptedOption(t, listener, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT); limit != 14_000 {
		t.Errorf("%d ms", limit)
	}
}
