package http1_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"pixgraph/upstream/http1"
)

// TestConnectTimeout: ErrConnect is returned if the connect timeout ends, and not if the call ends.
func TestConnectTimeout(t *testing.T) {
	brief := func(c *http1.Config) { c.ConnectTimeout = time.Second }
	lasting := func(c *http1.Config) { c.ConnectTimeout = time.Hour }
	tests := []struct {
		name   string
		config func(*http1.Config)
		change func(*http1.Request)
		want   error
	}{
		{"the connect timeout", brief, func(*http1.Request) {}, http1.ErrConnect},
		{"the deadline", lasting, soon, context.DeadlineExceeded},
		{"the deadline, without a connect timeout", func(*http1.Config) {}, soon, context.DeadlineExceeded},
	}
	for _, tt := range tests {
		for _, phase := range []string{"in the handshake", "while dialing", "of a dialer"} {
			bubble(t, tt.name+" "+phase, func(t *testing.T) {
				hangs := map[string]func(*http1.Config){"in the handshake": overTLS, "while dialing": silent, "of a dialer": hasty}[phase]
				answer, err := get(newHost(t, serve(t, (*peer).gone), hangs, tt.config), tt.change)
				if !errors.Is(err, tt.want) || errors.Is(err, http1.ErrConnect) != errors.Is(tt.want, http1.ErrConnect) || answer.Attempts != 1 {
					t.Errorf("error %v after %d attempts, want %v", err, answer.Attempts, tt.want)
				}
			})
		}
	}
	bubble(t, "the context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		s := serve(t, func(p *peer) { cancel(); p.gone() })
		_, err := newHost(t, s, overTLS, lasting).Get(ctx, http1.Request{Target: "/", Deadline: time.Now().Add(time.Hour)})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

// silent makes a host dial until the context ends.
func silent(c *http1.Config) {
	c.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
}

// hasty makes a host dial with a timer that fires before that of the context, as that of a net.Dialer may.
func hasty(c *http1.Config) {
	c.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		end, _ := ctx.Deadline()
		time.Sleep(time.Until(end) - 1)
		return nil, os.ErrDeadlineExceeded
	}
}
