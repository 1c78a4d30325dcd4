package http1_test

import (
	"context"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/http1"
)

// TestRequestIsResentOnlyWithoutResponse: if a reused connection ends before a byte of the response was received, the
// request is sent once more over a new connection. It is not sent again after a byte was received, or over a new
// connection.
func TestRequestIsResentOnlyWithoutResponse(t *testing.T) {
	tests := []struct {
		name               string
		answer             string // to a connection's second request, before the connection ends
		fresh              bool   // whether new connections respond
		requests, attempts int
		err                error
	}{
		{"nothing", "", true, 3, 2, nil},
		{"nothing, and nothing on the new connection", "", false, 3, 2, io.ErrUnexpectedEOF},
		{"one byte", "H", true, 2, 1, io.ErrUnexpectedEOF},
		{"half a response", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{", true, 2, 1, io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			s := serve(t, func(p *peer) {
				if p.request() && (p.number == 1 || tt.fresh) {
					p.write(ok("{}"))
					if p.request() {
						p.write(tt.answer)
					}
				}
			})
			host := newHost(t, s)
			if _, err := get(host); err != nil {
				t.Fatal(err)
			}
			answer, err := get(host)
			if !errors.Is(err, tt.err) || answer.Attempts != tt.attempts {
				t.Errorf("%d attempts, error %v; want %d, %v", answer.Attempts, err, tt.attempts, tt.err)
			}
			if got := int(s.requests.Load()); got != tt.requests {
				t.Errorf("%d requests, want %d", got, tt.requests)
			}
		})
	}
}

// TestRequestIsNotResentAfterDeadline: after the deadline or the end of the context the request is not sent again,
// because the server has received it.
func TestRequestIsNotResentAfterDeadline(t *testing.T) {
	tests := []struct {
		name string
		get  func(context.Context, *http1.Host) (http1.Answer, error)
		want error
	}{
		{"the deadline", func(_ context.Context, host *http1.Host) (http1.Answer, error) { return get(host, soon) }, os.ErrDeadlineExceeded},
		{"the context", func(ctx context.Context, host *http1.Host) (http1.Answer, error) {
			return host.Get(ctx, http1.Request{Target: "/", Deadline: time.Now().Add(timeout)})
		}, nil},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			s := serve(t, func(p *peer) {
				if p.request() {
					p.write(ok("{}"))
					if p.request() && tt.want == nil {
						cancel()
					}
					p.gone()
				}
			})
			host := newHost(t, s)
			if _, err := get(host); err != nil {
				t.Fatal(err)
			}
			answer, err := tt.get(ctx, host)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || answer.Attempts != 1 || s.connections.Load() != 1 {
				t.Errorf("%d attempts over %d connections, error %v", answer.Attempts, s.connections.Load(), err)
			}
		})
	}
}

// TestDeadConnectionClosesTheOthers: when one idle connection turns out to be dead, the others are closed.
func TestDeadConnectionClosesTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 5
		var closing atomic.Bool
		_, host := together(t, calls, func(p *peer) bool { return closing.Load() && p.number <= calls })
		closing.Store(true)
		answer, err := get(host)
		if err != nil || answer.Attempts != 2 || host.Idle() != 1 {
			t.Errorf("%d attempts, %d idle, error %v", answer.Attempts, host.Idle(), err)
		}
	})
}

// TestEndedCallSendsNothing: a call whose context has ended, or whose deadline is in the past, sends nothing, and is no
// evidence about the idle connections.
func TestEndedCallSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 5
		s, host := together(t, calls, respond)
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		for _, tt := range []struct {
			ctx      context.Context
			deadline time.Time
			want     error
		}{
			{ended, time.Now().Add(timeout), context.Canceled},
			{context.Background(), time.Now().Add(-time.Second), os.ErrDeadlineExceeded},
		} {
			answer, err := host.Get(tt.ctx, http1.Request{Target: "/", Deadline: tt.deadline})
			if !errors.Is(err, tt.want) || answer.Attempts != 0 || host.Idle() != calls || s.requests.Load() != calls {
				t.Errorf("error %v, want %v; %d attempts, %d idle", err, tt.want, answer.Attempts, host.Idle())
			}
		}
	})
}
