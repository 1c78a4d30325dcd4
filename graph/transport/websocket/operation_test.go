package websocket_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gobwas/ws"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/transport/run"
)

func message(format string, values ...any) ws.Frame {
	return ws.NewTextFrame(fmt.Appendf(nil, format, values...))
}

// TestIDAgain: a client may use the id of an operation again as soon as it knows that the operation has ended.
func TestIDAgain(t *testing.T) {
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

// slowExecutor is an executor whose operations end when released is closed, even if their client has completed them.
type slowExecutor struct {
	graphql.GraphExecutor
	began, released chan struct{}
}

func (e slowExecutor) CreateOperationContext(context.Context, *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	e.began <- struct{}{}
	<-e.released
	return nil, gqlerror.List{gqlerror.Errorf("released")}
}

// TestFlood: of the operations that a client has completed, only some may still be executed at a time.
func TestFlood(t *testing.T) {
	t.Parallel()
	exec := slowExecutor{began: make(chan struct{}), released: make(chan struct{})}
	conn := openPipeWith(t, run.Config{}, exec)
	t.Cleanup(func() { close(exec.released) })
	initialize(t, conn)
	const limit = 64
	for range limit {
		write(t, conn, message(`{"type":"subscribe","id":"1","payload":{"query":"{a}"}}`))
		<-exec.began
		write(t, conn, message(`{"type":"complete","id":"1"}`))
	}
	write(t, conn, message(`{"type":"subscribe","id":"1","payload":{"query":"{a}"}}`))
	if frame, _ := readFrame(t, conn, time.Now()); !strings.Contains(string(frame.Payload), `"type":"error"`) {
		t.Errorf("%s", frame.Payload)
	}
}
