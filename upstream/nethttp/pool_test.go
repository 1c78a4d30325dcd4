package nethttp_test

import (
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"golang.org/x/net/http2"

	"pixgraph/upstream/http1"
)

// dialed is a connection whose memory a test watches.
type dialed struct{ net.Conn }

// TestClosedConnectionIsFreed: a connection that was closed is not kept in memory until its idle time.
func TestClosedConnectionIsFreed(t *testing.T) {
	s := serve(t, respond, func(s *httptest.Server) { s.EnableHTTP2 = false }) // net/http itself keeps one of HTTP/2 for 5 seconds
	var made weak.Pointer[dialed]
	h := host(t, s, func(c *http1.Config) {
		c.IdleTime, c.Dial = 24*time.Hour, func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			d := &dialed{conn}
			made = weak.Make(d)
			return d, err
		}
	})
	if answer, err := get(h, "/"); err != nil {
		t.Fatal(answer, err)
	}
	h.CloseIdle()
	for deadline := time.Now().Add(timeout); made.Value() != nil; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatal("the connection is still in memory")
		}
	}
}

// TestGoAwayWhileIdle: connections that a server ends with GOAWAY, and does not close, are closed by the next request.
func TestGoAwayWhileIdle(t *testing.T) {
	ended, acks := make(chan struct{}), make(chan chan struct{}, 1)
	h, _ := serveFrames(t, nil, func(p *peer, stream uint32) {
		p.headers(stream, true, ":status", "200")
		<-ended
		_ = p.WriteGoAway(stream, http2.ErrCodeNo, nil)
		_ = p.WritePing(false, [8]byte{})
		acks <- p.acks
	})
	for range 5 {
		if answer, err := get(h, "/"); err != nil || answer.Attempts != 1 {
			t.Fatalf("error %v after %d attempts", err, answer.Attempts)
		}
		ended <- struct{}{}
		<-<-acks // the client has read GOAWAY
	}
	if got := h.Idle(); got != 1 {
		t.Errorf("%d idle connections, want the last one", got)
	}
}

// TestDeadlineOfAnotherCall: the deadline of the call that makes a connection does not end the calls that wait for it.
func TestDeadlineOfAnotherCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			failure = errors.New("the second connection")
			late    = make(chan struct{})
			dials   int
		)
		h := host(t, &server{Server: &httptest.Server{URL: "https://core.invalid"}}, func(c *http1.Config) {
			c.Dial = func(context.Context, string, string) (net.Conn, error) {
				if dials++; dials > 1 {
					return nil, failure
				}
				<-late
				return nil, os.ErrDeadlineExceeded // the timer of a dialer may fire before that of the context
			}
		})
		var calls sync.WaitGroup
		call := func(want error) {
			calls.Go(func() {
				if _, err := get(h, "/"); !errors.Is(err, want) {
					t.Errorf("error %v, want %v", err, want)
				}
			})
			synctest.Wait()
		}
		call(context.DeadlineExceeded)
		call(failure)
		close(late)
		calls.Wait()
	})
}
