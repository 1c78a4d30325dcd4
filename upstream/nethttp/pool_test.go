package nethttp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"golang.org/x/net/http2"

	"pixgraph/internal/certs/certstest"
	"pixgraph/upstream/http1"
)

// dialed is a connection whose memory a test watches.
type dialed struct{ net.Conn }

// TestClosedConnectionIsFreed: a connection that was closed is not kept in memory until its idle time.
func TestClosedConnectionIsFreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, respond)
		var made weak.Pointer[dialed]
		h := host(t, s, func(c *http1.Config) {
			c.IdleTime, c.Dial = 24*time.Hour, func(ctx context.Context, kind, address string) (net.Conn, error) {
				conn, err := network.DialContext(ctx, kind, address)
				d := &dialed{conn}
				made = weak.Make(d)
				return d, err
			}
		})
		if answer, err := get(h, "/"); err != nil {
			t.Fatal(answer, err)
		}
		h.CloseIdle()
		time.Sleep(time.Minute) // net/http itself keeps it for 5 seconds
		if runtime.GC(); made.Value() != nil {
			t.Error("the connection is still in memory")
		}
	})
}

// TestGoAwayWhileIdle: connections that a server ends with GOAWAY, and does not close, are closed by the next request.
func TestGoAwayWhileIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := serveFrames(t, nil, func(p *peer, stream uint32) {
			p.headers(stream, true, ":status", "200")
			time.Sleep(time.Second)
			_ = p.WriteGoAway(stream, http2.ErrCodeNo, nil)
		})
		for range 5 {
			if answer, err := get(h, "/"); err != nil || answer.Attempts != 1 {
				t.Fatalf("error %v after %d attempts", err, answer.Attempts)
			}
			time.Sleep(time.Second)
			synctest.Wait() // until the client has read GOAWAY
		}
		if got := h.Idle(); got != 1 {
			t.Errorf("%d idle connections, want the last one", got)
		}
	})
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

// afterRequest is the server's side of a connection, which reads the end of the handshake only when a part of the
// request has arrived.
type afterRequest struct {
	net.Conn
	answered bool
	rest     io.Reader
}

func (c *afterRequest) Write(p []byte) (int, error) {
	c.answered = true
	return c.Conn.Write(p)
}

func (c *afterRequest) Read(p []byte) (int, error) {
	if !c.answered {
		return c.Conn.Read(p)
	}
	if c.rest == nil {
		part := make([]byte, 4<<10)
		if _, err := io.ReadFull(c.Conn, part); err != nil {
			return 0, err
		}
		c.rest = io.MultiReader(bytes.NewReader(part), c.Conn)
	}
	return c.rest.Read(p)
}

// TestClientCertificateRefused: with TLS 1.3 a server rejects the certificate of the client when the client has sent
// its request. The error says so, and the request is not sent again.
func TestClientCertificateRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := &tls.Config{
			Certificates: []tls.Certificate{certstest.New(t, "ca").Issue(t, 24*time.Hour).TLS(t)},
			NextProtos:   []string{"h2"}, ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS13,
		}
		listener := listen(t)
		var group sync.WaitGroup
		group.Go(func() {
			acceptEach(listener, func(conn net.Conn) {
				defer conn.Close()
				_ = tls.Server(&afterRequest{Conn: conn}, config).Handshake() // sends the alert
				_, _ = io.Copy(io.Discard, conn)                              // a reset would destroy it
			})
		})
		t.Cleanup(func() { _ = listener.Close(); group.Wait() })
		h := host(t, &server{Server: &httptest.Server{URL: "https://" + listener.Addr().String()}})
		answer, err := get(h, "/"+strings.Repeat("long", 2<<10))
		var alert *net.OpError
		if !errors.As(err, &alert) || alert.Op != "remote error" || answer.Attempts != 1 {
			t.Errorf("error %v after %d attempts", err, answer.Attempts)
		}
	})
}

// TestReplacement: when the connection reaches its maximum age, one call makes another one. The other calls use the old
// one until then.
func TestReplacement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials, results := make(chan struct{}, 1), make(chan error)
		s := serve(t, respond)
		h := host(t, s, func(c *http1.Config) {
			c.MaxAge, c.Random = time.Minute, func() float64 { return 0 }
			c.Dial = func(ctx context.Context, kind, address string) (net.Conn, error) {
				dials <- struct{}{}
				if err := <-results; err != nil {
					return nil, err
				}
				return network.DialContext(ctx, kind, address)
			}
		})
		call := func(ended chan<- error) {
			_, err := get(h, "/")
			ended <- err
		}
		first, second := make(chan error, 1), make(chan error, 1)
		for i, failure := range []error{nil, errors.New("no route"), nil} {
			go call(first)
			<-dials
			if i > 0 {
				if call(second); <-second != nil { // over the old connection
					t.Error("the other call failed")
				}
			}
			results <- failure
			if err := <-first; !errors.Is(err, failure) {
				t.Errorf("error %v, want %v", err, failure)
			}
			time.Sleep(time.Minute)
		}
		if got := s.connections.Load(); got != 2 || h.Idle() != 1 {
			t.Errorf("%d connections, %d idle, want only the second", got, h.Idle())
		}
	})
}

// TestConnectionThatAnswersOnlyPings: after a call that timed out without any response over its connection, the next
// call uses another one.
func TestConnectionThatAnswersOnlyPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sick atomic.Pointer[peer]
		h, requests := serveFrames(t, nil, func(p *peer, stream uint32) {
			if sick.CompareAndSwap(nil, p); sick.Load() != p {
				p.headers(stream, true, ":status", "200")
			}
		})
		request := http1.Request{Target: "/", Deadline: time.Now().Add(time.Second), SilenceLimit: time.Second}
		if _, err := h.Get(t.Context(), request); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
		if answer, err := get(h, "/"); err != nil || answer.Status != 200 || requests.Load() != 2 {
			t.Errorf("status %d, error %v after %d requests", answer.Status, err, requests.Load())
		}
	})
}

// TestStatusOfConnection: a request whose response is about its connection is repeated once over another connection, if
// the connection had other requests before.
func TestStatusOfConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct{ status, again, attempts, requests int }{{408, 200, 2, 3}, {421, 421, 2, 3}, {409, 200, 1, 2}} {
			var requests atomic.Int32
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				switch requests.Add(1) {
				case 2:
					w.WriteHeader(tt.status)
				case 3:
					w.WriteHeader(tt.again)
				}
			})
			h := host(t, s)
			_, err := get(h, "/")
			must(t, err)
			answer, err := get(h, "/")
			if err != nil || answer.Attempts != tt.attempts || int(requests.Load()) != tt.requests || int(s.connections.Load()) != tt.attempts {
				t.Errorf("%d: %d after %d attempts, %d requests over %d connections, error %v",
					tt.status, answer.Status, answer.Attempts, requests.Load(), s.connections.Load(), err)
			}
		}
	})
}
