package websocket_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gobwas/ws"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/run/runtest"
	"pixgraph/serve/stream"
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

// slow is a gateway whose operations end when released is closed, even if their client has completed them.
type slow struct {
	runtest.Gateway
	began, released chan struct{}
}

func (g slow) Prepare(context.Context, *request.Call, *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	g.began <- struct{}{}
	<-g.released
	return &graphql.OperationContext{}, gqlerror.List{gqlerror.Errorf("released")}
}

func (slow) Reject(_ context.Context, _ *request.Call, _ *graphql.OperationContext, reasons gqlerror.List) *graphql.Response {
	return &graphql.Response{Errors: reasons}
}

// TestFlood: of the operations that a client has completed, only some may still be executed at a time. One more waits
// for a second, and the next ones are rejected at once, so that the connection is not stopped. They may be sent later.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exec := slow{began: make(chan struct{}), released: make(chan struct{})}
		conn := openPipeWith(t, exec)
		t.Cleanup(sync.OnceFunc(func() { close(exec.released) }))
		initialize(t, conn)
		const limit = 100
		for range limit {
			write(t, conn, message(`{"type":"subscribe","id":"1","payload":{"query":"{a}"}}`))
			<-exec.began
			write(t, conn, message(`{"type":"complete","id":"1"}`))
		}
		time.Sleep(2 * time.Second) // when the others began makes no difference
		for _, wait := range []time.Duration{time.Second, 0, 0} {
			start := time.Now()
			write(t, conn, message(`{"type":"subscribe","id":"1","payload":{"query":"{a}"}}`))
			frame, after := readFrame(t, conn, start)
			for _, want := range []string{
				`"type":"error"`, `"code":"OVERLOADED"`, `"retryable":true`, `"limit":"socketOperations"`, `"value":100`,
			} {
				if !strings.Contains(string(frame.Payload), want) {
					t.Errorf("%s lacks %s", frame.Payload, want)
				}
			}
			if after != wait {
				t.Errorf("rejected after %s, want %s", after, wait)
			}
		}
		exec.released <- struct{}{}
		synctest.Wait()
		write(t, conn, message(`{"type":"subscribe","id":"2","payload":{"query":"{a}"}}`))
		select {
		case <-exec.began:
		case <-time.After(time.Second):
			t.Error("no operation begins after another one has ended")
		}
	})
}

// TestManyStreams: a page begins hundreds of streams at once on one connection, as many as its caller may have.
func TestManyStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const streams = 1000
		engine := live.New(live.Config{Source: paid{}})
		defer engine.Close()
		conn := openPipeWith(t, subscriber{engine: engine})
		initialize(t, conn)
		go func() {
			for i := range streams {
				write(t, conn, message(`{"type":"subscribe","id":"%d","payload":{"query":"subscription{a}"}}`, i))
			}
		}()
		for range streams {
			if frame, _ := readFrame(t, conn, time.Now()); !strings.Contains(string(frame.Payload), `"type":"next"`) {
				t.Fatalf("%s", frame.Payload)
			}
		}
		if n := engine.Streams(); n != streams {
			t.Errorf("%d streams", n)
		}
	})
}

// TestDrain: connections with many streams end evenly over the time of the drain. Their streams end for the same
// reason.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const connections, streams, delay = 60, 20, 4 * time.Second
		engine := live.New(live.Config{Source: paid{}, StreamsPerCaller: connections * streams})
		defer engine.Close()
		sockets := newTransport(t, subscriber{engine: engine})
		ends := make(chan time.Time, connections)
		for range connections {
			conn := openPipeTo(t, sockets)
			initialize(t, conn)
			for i := range streams {
				write(t, conn, message(`{"type":"subscribe","id":"%d","payload":{"query":"subscription{a}"}}`, i))
				readFrame(t, conn, time.Now())
			}
			go func() {
				for {
					if frame, err := ws.ReadFrame(conn); err != nil || frame.Header.OpCode == ws.OpClose {
						ends <- time.Now()
						_ = conn.Close()
						return
					}
				}
			}()
		}
		start := time.Now()
		sockets.Drain(delay)
		engine.Drain(delay)
		var quarters [4]int
		for range connections {
			after := (<-ends).Sub(start)
			quarters[min(after*4/delay, 3)]++
		}
		for i, n := range quarters {
			if n != connections/4 {
				t.Errorf("%d of %d connections end in quarter %d of the drain", n, connections, i+1)
			}
		}
		synctest.Wait()
		if n := engine.Stats().Ends[live.EndDrain]; n != connections*streams {
			t.Errorf("%d streams ended by the drain", n)
		}
	})
}

// subscriber is a gateway for which every operation is a subscription to one record.
type subscriber struct {
	runtest.Gateway
	engine *live.Engine
	sink   func(stream.Sink) live.Sink // around that of the connection; nil for none
}

func (subscriber) Prepare(context.Context, *request.Call, *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	return &graphql.OperationContext{Operation: &ast.OperationDefinition{Operation: ast.Subscription}}, nil
}

func (s subscriber) Subscribe(
	ctx context.Context, _ *request.Call, _ *graphql.OperationContext, open stream.OpenSink,
) (*live.Stream, error) {
	var sink live.Sink = open(ctx, "transaction")
	if s.sink != nil {
		sink = s.sink(sink.(stream.Sink))
	}
	return s.engine.Join(live.Request{
		Subject: live.Record((*client.Session).Transaction, "a"), Sink: sink, Multiplexed: true,
		Execute: func(context.Context, *live.Reading) ([]byte, error) { return []byte(`{"data":{}`), nil },
	})
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
		sink := func(s stream.Sink) live.Sink { return withoutMemory{s} }
		conn, start := openPipeWith(t, subscriber{engine: engine, sink: sink}), time.Now()
		initialize(t, conn)
		write(t, conn, message(`{"type":"subscribe","id":"1","payload":{"query":"subscription{a}"}}`))
		wantCloseFrame(t, conn, start, 1013, 0)
	})
}

// turning is slow, and has one turn.
type turning struct {
	slow
	turns *quota.Turns
	taken *int
}

func (g turning) LongTurn(ctx context.Context, _ *request.Call) *quota.Turn {
	*g.taken++
	turn, _ := g.turns.Take(ctx, "caller", 0)
	return turn
}

// TestLongTurn: a large message is parsed in a turn, which has ended when its operation begins.
func TestLongTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exec := turning{slow{began: make(chan struct{}), released: make(chan struct{})}, quota.NewTurns(1, quota.DefaultPiece), new(int)}
		close(exec.released)
		conn := openPipeWith(t, exec)
		initialize(t, conn)
		for _, tt := range []struct{ spaces, turns int }{{10, 0}, {16 << 10, 2}} {
			*exec.taken = 0
			write(t, conn, message(`{"type":"subscribe","id":"1","payload":{"query":"{a%s}"}}`, strings.Repeat(" ", tt.spaces)))
			<-exec.began
			turn, err := exec.turns.Take(t.Context(), "caller", time.Millisecond)
			if turn.End(); *exec.taken != tt.turns || err != nil {
				t.Errorf("%d spaces: %d turns began, and did not end: %v", tt.spaces, *exec.taken, err)
			}
			readFrame(t, conn, time.Now())
		}
	})
}
