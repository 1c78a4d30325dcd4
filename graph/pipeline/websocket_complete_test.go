package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

// TestWebSocketComplete: an operation that its client completes, or whose connection is closed, is no error of the gateway.
func TestWebSocketComplete(t *testing.T) {
	g := start(t)
	for range 20 {
		s := g.connect(t, g.Token)
		for i := range 20 {
			id := fmt.Sprint(i)
			s.subscribe(id, "{ deposits { totalCount } }")
			s.send(`{"type":"complete","id":"` + id + `"}`)
		}
		s.subscribe("last", "{ deposits { totalCount } }")
		s.frame(ws.NewCloseFrame(nil))
	}
	g.awaitSockets(0)
	g.Handler.EndStreams() // waits for the operations of WebSockets
	if text := g.Log.String(); strings.Contains(text, `"level":"ERROR"`) {
		t.Error(text)
	}
}
