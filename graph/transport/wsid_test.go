package transport_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"
)

func message(format string, values ...any) ws.Frame {
	return ws.NewTextFrame(fmt.Appendf(nil, format, values...))
}

// TestWebSocketIDAgain: a client may use the id of an operation again as soon as it knows that the operation has ended.
func TestWebSocketIDAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := openPipe(t)
		initialize(t, conn)
		for range 2000 {
			write(t, conn, message(`{"type":"subscribe","id":"1","payload":{"query":"{a}"}}`))
			if frame, _ := readFrame(t, conn, time.Now()); !strings.HasPrefix(string(frame.Payload), `{"id":"1","type":"error"`) {
				t.Fatalf("%s", frame.Payload)
			}
		}
	})
}

// TestWebSocketFlood: a client that begins and completes operations, and does not read, may have only some of them at a time.
func TestWebSocketFlood(t *testing.T) {
	t.Parallel()
	conn := openPipe(t)
	initialize(t, conn)
	begun := 0
	for ; begun < 1000; begun++ { // until the gateway closes the connection, because a write took too long
		for _, frame := range []ws.Frame{
			message(`{"type":"subscribe","id":"1","payload":{"query":"{a}"}}`), message(`{"type":"complete","id":"1"}`),
		} {
			if _, err := conn.Write(ws.MustCompileFrame(ws.MaskFrame(frame))); err != nil {
				if begun > 100 {
					t.Errorf("%d operations", begun)
				}
				return
			}
		}
	}
	t.Errorf("%d operations", begun)
}
