package http1_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream/http1"
)

// lateContext is a context whose deadline the test triggers.
type lateContext struct {
	context.Context
	late chan struct{}
}

func (c lateContext) Done() <-chan struct{} { return c.late }

func (c lateContext) Err() error {
	select {
	case <-c.late:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestSilentConnections: only a timeout on a reused connection that was silent for long enough closes connections, and
// only those that have been idle since before the request.
func TestSilentConnections(t *testing.T) {
	const idle = 5
	const limit = time.Minute
	// More than the connection holds: when the server has written it, the client has begun to read.
	part := "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + strings.Repeat("x", 100<<10)
	tests := []struct {
		name   string
		ctx    func(context.Context, chan struct{}) (context.Context, func()) // returns a context and a function that ends it
		partly string                                                         // the received part of the response
		silent time.Duration
		limit  time.Duration
		fresh  bool
		closed bool
	}{
		{"silent for long enough", late, "", limit, limit, false, true},
		{"silent for less", late, "", limit - 1, limit, false, false},
		{"without a limit", late, "", limit, 0, false, false},
		{"canceled", canceled, "", limit, limit, false, false},
		{"a part of the response was received", late, part, limit, limit, false, false},
		{"a new connection", late, "", limit, limit, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			received, now := make(chan struct{}, 1), &clock{}
			s, host := together(t, idle, func(p *peer) bool {
				if p.first != "GET /silent HTTP/1.1\r\n" {
					return false
				}
				p.write(tt.partly)
				received <- struct{}{}
				p.gone()
				return true
			}, now.use)
			if host.Idle() != idle {
				t.Fatalf("%d idle connections, want %d", host.Idle(), idle)
			}
			now.advance(1)
			ctx, end := tt.ctx(context.Background(), make(chan struct{}))
			ended := make(chan error, 1)
			go func() {
				_, err := host.Get(ctx, silent(tt.limit, tt.fresh))
				ended <- err
			}()
			<-received
			if _, err := get(host); err != nil { // uses one of the idle connections, which works
				t.Fatal(err)
			}
			now.advance(tt.silent)
			end()
			if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, context.Canceled) {
				t.Fatalf("error = %v", err)
			}
			want := idle - 1
			if tt.fresh {
				want = idle
			}
			if tt.closed {
				want = 1 // the connection that was used in the meantime
			}
			if host.Idle() != want {
				t.Errorf("%d idle connections, want %d", host.Idle(), want)
			}
			before := s.connections.Load()
			if answer, err := get(host); err != nil || answer.Attempts != 1 || s.connections.Load() != before {
				t.Errorf("the next request: error %v, %d attempts, %d new connections", err, answer.Attempts, s.connections.Load()-before)
			}
		})
	}
}

func late(ctx context.Context, ended chan struct{}) (context.Context, func()) {
	return lateContext{ctx, ended}, func() { close(ended) }
}

func canceled(ctx context.Context, _ chan struct{}) (context.Context, func()) {
	return context.WithCancel(ctx)
}

func silent(limit time.Duration, fresh bool) http1.Request {
	return http1.Request{Target: "/silent", SilenceLimit: limit, Fresh: fresh, MaxBody: 1 << 30, Deadline: time.Now().Add(time.Hour)}
}
