package nethttp_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/upstream/http1"
)

// TestLostConnection: a connection whose bytes are lost is closed when a ping gets no response, long before the
// deadline, and its requests are sent once more over another connection.
func TestLostConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lost atomic.Bool
		s := serve(t, respond)
		front := listen(t)
		var group sync.WaitGroup
		over, end := context.WithCancel(context.Background())
		group.Go(func() {
			for first := true; ; first = false {
				conn, err := front.Accept()
				if err != nil {
					return
				}
				back, err := network.DialContext(over, "tcp", s.Listener.Addr().String())
				if err != nil {
					return
				}
				context.AfterFunc(over, func() { _ = conn.Close(); _ = back.Close() })
				forward := func(to, from net.Conn) {
					defer to.Close()
					buffer := make([]byte, 4096)
					for {
						n, err := from.Read(buffer)
						if err != nil {
							return
						}
						if !first || !lost.Load() {
							_, _ = to.Write(buffer[:n])
						}
					}
				}
				group.Go(func() { forward(back, conn) })
				group.Go(func() { forward(conn, back) })
			}
		})
		t.Cleanup(func() { end(); _ = front.Close(); group.Wait() })
		h := host(t, s, func(c *http1.Config) { c.URL = &url.URL{Scheme: "https", Host: front.Addr().String()} })
		wantGet(t, h, "/first")
		lost.Store(true)
		answer, err := get(h, "/second")
		if err != nil || answer.Status != 200 || answer.Attempts != 2 && answer.Attempts != 1 {
			t.Errorf("status %d after %d attempts, error %v", answer.Status, answer.Attempts, err)
		}
		if got := s.connections.Load(); got < 2 {
			t.Errorf("%d connections, want another one", got)
		}
	})
}

// slowly is respond after a time that differs between requests.
func slowly(w http.ResponseWriter, r *http.Request) {
	time.Sleep(time.Duration(len(r.URL.Path)%5+1) * time.Millisecond)
	respond(w, r)
}

// TestGoAway: a server that shuts down gracefully ends its connection under load, and no request fails.
func TestGoAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var current atomic.Pointer[http.Server]
		listener := listen(t)
		pair := certstest.New(t, "ca").Issue(t, 24*time.Hour).TLS(t)
		start := func() { // another server for the same listener; shutting one down must not close it
			s := &http.Server{Handler: http.HandlerFunc(slowly), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0), ReadHeaderTimeout: timeout}
			s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}}
			current.Store(s)
		}
		start()
		var serving sync.WaitGroup
		serving.Go(func() {
			acceptEach(listener, func(conn net.Conn) {
				one := &oneConn{Listener: listener, conn: make(chan net.Conn, 1), closed: make(chan struct{})}
				one.conn <- conn
				_ = current.Load().ServeTLS(one, "", "")
			})
		})
		h := host(t, &server{Server: &httptest.Server{URL: "https://" + listener.Addr().String()}})
		stop := make(chan struct{})
		var load sync.WaitGroup
		made := make(chan struct{})
		for i := range 8 {
			load.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					target := fmt.Sprintf("/%d/%d", i, n)
					if answer, err := get(h, target); err != nil || answer.Status != 200 || answer.Attempts > 3 {
						t.Errorf("%d after %d attempts, error %v", answer.Status, answer.Attempts, err)
					}
					select {
					case made <- struct{}{}:
					default:
					}
				}
			})
		}
		for range 5 {
			for range 20 {
				<-made
			}
			former := current.Load()
			start()
			if err := former.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}
		close(stop)
		load.Wait()
		h.CloseIdle()
		_ = listener.Close()
		_ = current.Load().Close()
		serving.Wait()
	})
}

// oneConn is a listener of one connection.
type oneConn struct {
	net.Listener
	conn   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conn:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *oneConn) Close() error { l.once.Do(func() { close(l.closed) }); return nil }
