package httpserver_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"pixgraph/internal/httpserver"
)

// TestPacedFrames: frames that lead to nothing are read slowly, also after requests that failed or that were small, and
// after a time without any.
func TestPacedFrames(t *testing.T) {
	var repeated [][2]string // each after the first is a byte on the wire
	for range 15 {
		repeated = append(repeated, [2]string{"x-same", strings.Repeat("x", 3900)})
	}
	for _, tt := range []struct {
		name     string
		requests int // before the pings
		path     string
		fields   [][2]string
		wait     time.Duration
		credit   int
	}{
		{"pings only", 0, "", nil, 0, 24 << 10},
		{"pings after failed requests", 200, "/none", nil, 0, 24 << 10},
		{"pings after half a minute", 0, "", nil, 30 * time.Second, 24 << 10},
		{"pings after compressed headers", 10, "/", repeated, 0, 56 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := startSecure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path != "/" {
						http.NotFound(w, r)
					}
				}), 100)
				r := s.dial()
				for range tt.requests {
					stream, err := r.request(tt.path, tt.fields...)
					r.must(0, err)
					r.must(0, r.until(func(frame http2.Frame) bool {
						return frame.Header().StreamID == stream && frame.Header().Flags.Has(http2.FlagDataEndStream)
					}))
				}
				time.Sleep(tt.wait)
				began := time.Now()
				const pings, inTLS = 3000, 39
				r.ping(pings)
				if took := time.Since(began); took < time.Duration(pings*inTLS-tt.credit)*time.Second/4300 {
					t.Errorf("%d pings were read in %s", pings, took)
				}
			})
		})
	}
}

// ping sends pings and waits until the server has answered all of them.
func (r *raw) ping(pings int) {
	r.Helper()
	go func() {
		for i := range pings {
			if r.WritePing(false, [8]byte{byte(i >> 8), byte(i)}) != nil {
				return
			}
		}
	}()
	_ = r.conn.SetReadDeadline(time.Now().Add(time.Hour))
	for acknowledged := 0; acknowledged < pings; {
		frame, err := r.ReadFrame()
		r.must(0, err)
		if answer, ok := frame.(*http2.PingFrame); ok && answer.IsAck() {
			acknowledged++
		}
	}
}

// TestUnpacedRequests: requests with successful responses are not read slowly, with and without bodies, with large
// tokens, nor what acknowledges a large response that is read in small pieces.
func TestUnpacedRequests(t *testing.T) {
	for _, tt := range []struct{ requests, token, body, response int }{
		{300, 1000, 0, 0}, {30, 1000, 300 << 10, 0}, {100, 12_000, 0, 0}, {1, 1000, 0, 8 << 20},
	} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := startSecure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					n, _ := io.Copy(w, r.Body)
					for piece := make([]byte, 4<<10); n < int64(tt.response); n += int64(len(piece)) {
						_, _ = w.Write(piece)
					}
				}), 100)
				client := s.client()
				began := time.Now()
				for range tt.requests {
					s.exchange(client, tt.token, tt.body, max(tt.body, tt.response))
				}
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("they took %s", took)
				}
				client.CloseIdleConnections()
			})
		})
	}
}

// exchange sends a request with a token and a body of so many bytes, and reads the response in pieces of 4 KiB.
func (s *secure) exchange(client *http.Client, token, body, response int) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, "https://"+s.address, strings.NewReader(strings.Repeat("x", body)))
	must(s.T, err)
	req.Header.Set("Authorization", "Bearer "+strings.Repeat("x", token))
	resp, err := client.Do(req)
	must(s.T, err)
	defer resp.Body.Close()
	if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{resp.Body}, make([]byte, 4<<10)); n != int64(response) || err != nil {
		s.Fatalf("%d bytes: %v", n, err)
	}
}

// TestUnpacedConnections: neither a client without HTTP/2, whose header may be large, nor a proxy is paced.
func TestUnpacedConnections(t *testing.T) {
	t.Run("HTTP/1.1", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := startSecure(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), 100)
			client := s.client()
			client.Transport.(*http.Transport).Protocols.SetHTTP2(false)
			client.Transport.(*http.Transport).Protocols.SetHTTP1(true)
			began := time.Now()
			s.exchange(client, 60_000, 0, 0)
			if took := time.Since(began); took > 100*time.Millisecond {
				t.Errorf("the first request took %s", took)
			}
			client.CloseIdleConnections()
		})
	})
	t.Run("a proxy", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := serveSecure(t, httpserver.BoundHTTP2(http.NotFoundHandler(), 100), func(l net.Listener) net.Listener { return proxied{l} })
			r := s.dial()
			began := time.Now()
			if r.ping(3000); time.Since(began) > time.Second {
				t.Errorf("3000 pings took %s", time.Since(began))
			}
		})
	})
}

// proxied is a listener of connections of a trusted proxy.
type proxied struct{ net.Listener }

func (l proxied) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return proxiedConn{conn}, err
}

type proxiedConn struct{ net.Conn }

func (proxiedConn) OfProxy() bool { return true }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
