package nethttp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/http1"
)

// TestHTTP1Only: a server that does not offer HTTP/2 is called by package http1. At the maximum age of a connection,
// one call tries HTTP/2 again.
func TestHTTP1Only(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var offered, broken atomic.Bool
		s := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }, func(s *httptest.Server) {
			s.TLS.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
				config := s.TLS.Clone()
				if config.GetConfigForClient = nil; !offered.Load() {
					config.NextProtos = []string{"http/1.1"}
				}
				return config, nil
			}
		})
		h := host(t, s, func(c *http1.Config) {
			c.MaxAge, c.Random = time.Minute, func() float64 { return 0 }
			c.Dial = func(ctx context.Context, kind, address string) (net.Conn, error) {
				if broken.Load() {
					return nil, errors.New("no route")
				}
				return network.DialContext(ctx, kind, address)
			}
		})
		check := func(protocol string, connections int32) {
			t.Helper()
			answer, err := get(h, "/")
			if err != nil || string(answer.Body) != protocol || answer.Attempts != 1 || s.connections.Load() != connections {
				t.Errorf("%q after %d attempts, error %v, %d connections", answer.Body, answer.Attempts, err, s.connections.Load())
			}
		}
		check("HTTP/1.1", 2) // one to learn it
		check("HTTP/1.1", 2)
		h.CloseIdle()
		time.Sleep(time.Minute - 1)
		offered.Store(true)
		check("HTTP/1.1", 3)
		time.Sleep(time.Nanosecond)
		broken.Store(true)
		if _, err := get(h, "/"); err == nil {
			t.Error("the call that tries HTTP/2 succeeded")
		}
		check("HTTP/1.1", 3)
		time.Sleep(time.Minute)
		broken.Store(false)
		check("HTTP/2.0", 4)
		check("HTTP/2.0", 4)
	})
}
