package http1_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/http1"
)

// heldConn is a connection that holds back its writes until the test releases them.
type heldConn struct {
	net.Conn
	holding bool
	bytes   bytes.Buffer
}

func (h *heldConn) Write(p []byte) (int, error) {
	if h.holding {
		return h.bytes.Write(p)
	}
	return h.Conn.Write(p)
}

// SetWriteDeadline does nothing: close_notify would leave a deadline.
func (h *heldConn) SetWriteDeadline(time.Time) error { return nil }

// release writes all held bytes but the last ones, in one write.
func (h *heldConn) release(but int) {
	_, _ = h.Conn.Write(h.bytes.Next(h.bytes.Len() - but))
}

func TestTLS(t *testing.T) {
	const unasked = `{"of":"another caller"}`
	const records = 12 << 10 // more than one read returns with the response
	tests := []struct {
		name   string
		answer func(*tls.Conn, *heldConn) // writes the response to the first request and what follows it
		kept   bool
	}{
		{"one response", func(c *tls.Conn, h *heldConn) { _, _ = c.Write([]byte(ok("{}"))); h.release(0) }, true},
		{"a large response", func(c *tls.Conn, h *heldConn) {
			_, _ = c.Write([]byte(ok(string(bytes.Repeat([]byte("x"), 200_000)))))
			h.release(0)
		}, true},
		{"two in one record", func(c *tls.Conn, h *heldConn) { _, _ = c.Write([]byte(ok("{}") + ok(unasked))); h.release(0) }, false},
		{"two, the second one beyond the reader's buffer", func(c *tls.Conn, h *heldConn) {
			_, _ = c.Write([]byte(ok(string(bytes.Repeat([]byte("x"), records))) + ok(unasked)))
			h.release(0)
		}, false},
		{"two in two records", func(c *tls.Conn, h *heldConn) {
			_, _ = c.Write([]byte(ok("{}")))
			_, _ = c.Write([]byte(ok(unasked)))
			h.release(0)
		}, false},
		{"one and part of another record", func(c *tls.Conn, h *heldConn) {
			_, _ = c.Write([]byte(ok("{}")))
			_, _ = c.Write([]byte(ok(unasked)))
			h.release(10)
		}, false},
		{"one and part of another record's header", func(c *tls.Conn, h *heldConn) {
			_, _ = c.Write([]byte(ok("{}")))
			before := h.bytes.Len()
			_, _ = c.Write([]byte(ok(unasked)))
			h.release(h.bytes.Len() - before - 3)
		}, false},
		{"one and close_notify", func(c *tls.Conn, h *heldConn) {
			_, _ = c.Write([]byte(ok("{}")))
			_ = c.CloseWrite()
			h.release(0)
		}, false},
	}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, tt := range tests {
			bubble(t, tls.VersionName(version)+" "+tt.name, func(t *testing.T) {
				config, known := authority(t)
				config.MinVersion, config.MaxVersion = version, version
				s := serve(t, func(p *peer) {
					below := &heldConn{Conn: p.Conn}
					p.Conn = below
					p.speakTLS(config)
					for n := 0; p.request(); n++ {
						if p.number > 1 || n > 0 {
							p.write(ok("{}"))
							continue
						}
						below.holding = true
						tt.answer(p.Conn.(*tls.Conn), below)
						below.holding = false
					}
				})
				host := newHost(t, s, known)
				for i := range 3 {
					answer, err := get(host, func(r *http1.Request) { r.MaxBody = 1 << 20 })
					if err != nil || i > 0 && string(answer.Body) != "{}" || bytes.Contains(answer.Body, []byte(unasked)) {
						t.Fatalf("response %d is %.40q, error %v", i, answer.Body, err)
					}
				}
				s.wantConnections(t, tt.kept)
			})
		}
	}
}

// TestTLSIsVerified: a server that does not match the URL receives no request.
func TestTLSIsVerified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config, known := authority(t)
		old := config.Clone()
		old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		for _, tt := range []struct {
			name   string
			server *tls.Config
			host   func(*http1.Config)
		}{
			{"an unknown authority", config, overTLS},
			{"another name", config, func(c *http1.Config) {
				c.URL = &url.URL{Host: "localhost:" + c.URL.Port()}
				known(c)
			}},
			{"an old version", old, known},
		} {
			s := serve(t, func(p *peer) {
				p.speakTLS(tt.server)
				_ = p.request()
			})
			answer, err := get(newHost(t, s, tt.host))
			if err == nil || answer.Attempts != 1 {
				t.Errorf("%s: error %v after %d attempts", tt.name, err, answer.Attempts)
			}
			var certificate *tls.CertificateVerificationError
			if tt.server == config && !errors.As(err, &certificate) {
				t.Errorf("%s: error %v", tt.name, err)
			}
			if got := s.requests.Load(); got != 0 {
				t.Errorf("%s: %d requests were sent", tt.name, got)
			}
		}
	})
}
