package http1_test

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"pixgraph/internal/egress/egresstest"
	"pixgraph/upstream/http1"
)

// TestConnectTimeout: ErrConnect is returned if the connect timeout ends, and not if the call ends.
func TestConnectTimeout(t *testing.T) {
	brief := func(c *http1.Config) { c.ConnectTimeout = 20 * time.Millisecond }
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
		bubble(t, tt.name+" in the handshake", func(t *testing.T) {
			s := serveInMemory(t, (*peer).gone)
			answer, err := get(newHost(t, s, overTLS, tt.config), tt.change)
			if !errors.Is(err, tt.want) || errors.Is(err, http1.ErrConnect) != errors.Is(tt.want, http1.ErrConnect) || answer.Attempts != 1 {
				t.Errorf("error %v after %d attempts, want %v", err, answer.Attempts, tt.want)
			}
		})
		t.Run(tt.name+" while dialing", func(t *testing.T) {
			host := newHost(t, &server{url: &url.URL{Scheme: "http", Host: egresstest.Silent(t, "127.0.0.1:0")}}, tt.config)
			if _, err := get(host, tt.change); !errors.Is(err, tt.want) || errors.Is(err, http1.ErrConnect) != errors.Is(tt.want, http1.ErrConnect) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
	t.Run("the context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		s := serve(t, func(p *peer) { cancel(); p.gone() })
		_, err := newHost(t, s, overTLS, lasting).Get(ctx, http1.Request{Target: "/", Deadline: time.Now().Add(time.Hour)})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}
