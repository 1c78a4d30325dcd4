package websocket_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/transport/run"
	"pixgraph/graph/transport/stream"
	"pixgraph/internal/quota"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

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
