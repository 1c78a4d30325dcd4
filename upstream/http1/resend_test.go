package http1_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/http1"
)

// TestRequestIsResentOnlyWithoutResponse: if a reused connection ends before a byte of the response was received, the
// request is sent once more over a new connection. It is not sent again after a byte was received, unless that is a
// status about the connection, or over a new connection.
func TestRequestIsResentOnlyWithoutResponse(t *testing.T) {
	tests := []struct {
		name               string
		answer             string // to a connection's second request, before the connection ends
		fresh              bool   // whether new connections respond
		requests, attempts int
		err                error
		status             int
	}{
		{"nothing", "", true, 3, 2, nil, 200},
		{"408", about(408), true, 3, 2, nil, 200},
		{"421 on a connection that stays open", about(421), true, 3, 2, nil, 200},
		{"425", about(425), true, 3, 2, nil, 200},
		{"409", about(409), true, 2, 1, nil, 409},
		{"408, and nothing on the new connection", about(408), false, 3, 2, io.ErrUnexpectedEOF, 0},
		{"nothing, and nothing on the new connection", "", false, 3, 2, io.ErrUnexpectedEOF, 0},
		{"one byte", "H", true, 2, 1, io.ErrUnexpectedEOF, 0},
		{"half a response", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{", true, 2, 1, io.ErrUnexpectedEOF, 200},
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
			mustGet(t, host)
			answer, err := get(host)
			if !errors.Is(err, tt.err) || answer.Attempts != tt.attempts || answer.Status != tt.status {
				t.Errorf("%d attempts, status %d, error %v; want %d, %d, %v", answer.Attempts, answer.Status, err, tt.attempts, tt.status, tt.err)
			}
			if got := int(s.requests.Load()); got != tt.requests {
				t.Errorf("%d requests, want %d", got, tt.requests)
			}
		})
	}
}

// about is a response with a status.
func about(status int) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n", status)
}

// TestStatusOfConnection: a status about the connection closes it, and only it. Over a new one it is the response.
func TestStatusOfConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 5
		var late atomic.Bool
		s, host := together(t, calls, func(p *peer) bool {
			if late.Load() {
				p.write(about(408))
				return true
			}
			return respond(p)
		})
		late.Store(true)
		answer, err := get(host)
		if err != nil || answer.Status != 408 || answer.Attempts != 2 || host.Idle() != calls-1 || s.connections.Load() != calls+1 {
			t.Errorf("%d after %d attempts, %d idle, error %v", answer.Status, answer.Attempts, host.Idle(), err)
		}
	})
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
			mustGet(t, host)
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
