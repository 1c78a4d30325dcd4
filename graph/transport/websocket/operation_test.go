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
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/transport/run"
	"pixgraph/graph/transport/stream"
	"pixgraph/internal/quota"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
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

// subscriber is an executor for which every operation is a subscription.
type subscriber struct{ graphql.GraphExecutor }

func (subscriber) CreateOperationContext(context.Context, *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	return &graphql.OperationContext{Operation: &ast.OperationDefinition{Operation: ast.Subscription}}, nil
}

// paid is a live.Source of one record.
type paid struct{}

func (paid) Read(context.Context, live.Token, live.Subject, bool, *client.Digest) (*live.Reading, error) {
	return &live.Reading{Status: "PAID"}, nil
}

// withoutMemory is a sink that has no memory for events.
type withoutMemory struct{ stream.Sink }

func (withoutMemory) Send(live.Event) error { return quota.ErrExhausted }

// TestWithoutMemory: if there is no memory for an event, the connection is closed, so that its client connects again.
// Without that, the client would wait for events of a stream that has ended.
func TestWithoutMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := live.New(live.Config{Source: paid{}})
		defer engine.Close()
		subscribe := func(ctx context.Context, open stream.OpenSink) (*live.Stream, error) {
			return engine.Join(live.Request{
				Subject: live.Transaction("a"), Sink: withoutMemory{open(ctx, "transaction")},
				Execute: func(context.Context, *live.Reading) ([]byte, error) { return []byte(`{"data":{}`), nil },
			})
		}
		conn, start := openPipeWith(t, run.Config{Subscribe: subscribe}, subscriber{}), time.Now()
		initialize(t, conn)
		write(t, conn, message(`{"type":"subscribe","id":"1","payload":{"query":"subscription{a}"}}`))
		wantCloseFrame(t, conn, start, 1013, 0)
	})
}
