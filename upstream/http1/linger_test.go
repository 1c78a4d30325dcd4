package http1_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/http1"
)

// lingerer has the methods of an http1.Lingerer.
type lingerer struct{ left, ended func() }

func (l lingerer) Linger() { l.left() }
func (l lingerer) End()    { l.ended() }

// TestLinger: when the caller of a request leaves before its response, the connection is in use until the response was
// read, and then the next request gets it. A connection without a response in time is closed.
func TestLinger(t *testing.T) {
	for name, tt := range map[string]struct {
		pause time.Duration // before the response
		ends  time.Duration // when the connection is no longer in use
		made  int32         // connections, with the next request
	}{
		"a response soon": {http1.DrainTime / 2, http1.DrainTime / 2, 1},
		"a response late": {time.Hour, http1.DrainTime, 2},
	} {
		bubble(t, name, func(t *testing.T) {
			s := serve(t, func(p *peer) { p.echoAfter(func() { time.Sleep(tt.pause) }) })
			host := newHost(t, s)
			ctx, leave := context.WithCancel(t.Context())
			ended, left := make(chan struct{}), false
			began := time.Now()
			go func() { time.Sleep(time.Nanosecond); leave() }()
			_, err := host.Get(ctx, http1.Request{
				Target: "/", Deadline: time.Now().Add(timeout), MaxBody: 1000,
				Lingerer: lingerer{func() { left = true }, func() { close(ended) }},
			})
			if err == nil || !left {
				t.Fatalf("%v, left %v", err, left)
			}
			if waited := time.Since(began); waited != time.Nanosecond {
				t.Errorf("the caller waited %s", waited)
			}
			<-ended
			if took := time.Since(began).Round(time.Millisecond); took != tt.ends {
				t.Errorf("in use for %s, want %s", took, tt.ends)
			}
			if _, err := get(host); err != nil || s.connections.Load() != tt.made {
				t.Errorf("%d connections, want %d; %v", s.connections.Load(), tt.made, err)
			}
		})
	}
}

// TestLingerWhileDialing: a connection that is made for a caller that left serves the next request.
func TestLingerWhileDialing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, (*peer).echo)
		host := newHost(t, s, func(c *http1.Config) {
			c.Dial = func(ctx context.Context, kind, address string) (net.Conn, error) {
				time.Sleep(time.Millisecond)
				return network.DialContext(ctx, kind, address)
			}
		})
		ctx, leave := context.WithCancel(t.Context())
		go leave()
		ended := make(chan struct{})
		_, err := host.Get(ctx, http1.Request{
			Target: "/", Deadline: time.Now().Add(timeout), MaxBody: 1000, Lingerer: lingerer{func() {}, func() { close(ended) }},
		})
		if err == nil {
			t.Fatal("no error")
		}
		<-ended
		if _, err := get(host); err != nil || s.connections.Load() != 1 {
			t.Errorf("%d connections; %v", s.connections.Load(), err)
		}
	})
}
