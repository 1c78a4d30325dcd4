package http1_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/http1"
)

// TestSilentConnections: only a timeout on a reused connection that was silent for long enough closes connections, and
// only those that have been idle since before the request.
func TestSilentConnections(t *testing.T) {
	const idle = 5
	const limit = time.Minute
	tests := []struct {
		name    string
		cancels bool   // instead of a deadline
		partly  string // the received part of the response
		silent  time.Duration
		limit   time.Duration
		fresh   bool
		closed  bool
	}{
		{"silent for long enough", false, "", limit, limit, false, true},
		{"silent for less", false, "", limit - 1, limit, false, false},
		{"without a limit", false, "", limit, 0, false, false},
		{"canceled", true, "", limit, limit, false, false},
		{"a part of the response was received", false, "HTTP", limit, limit, false, false},
		{"a new connection", false, "", limit, limit, true, false},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			s, host := together(t, idle, func(p *peer) bool {
				if p.first != "GET /silent HTTP/1.1\r\n" {
					return false
				}
				p.write(tt.partly)
				p.gone()
				return true
			})
			if host.Idle() != idle {
				t.Fatalf("%d idle connections, want %d", host.Idle(), idle)
			}
			time.Sleep(time.Nanosecond)
			ctx, cancel := context.WithCancel(t.Context())
			if !tt.cancels {
				ctx, cancel = context.WithTimeout(ctx, tt.silent)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := host.Get(ctx, http1.Request{
					Target: "/silent", SilenceLimit: tt.limit, Fresh: tt.fresh, MaxBody: 1000, Deadline: time.Now().Add(time.Hour),
				})
				ended <- err
			}()
			synctest.Wait()
			if _, err := get(host); err != nil { // uses one of the idle connections, which works
				t.Fatal(err)
			}
			if tt.cancels {
				time.Sleep(tt.silent)
				cancel()
			}
			defer cancel()
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
