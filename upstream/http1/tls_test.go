package http1_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"testing"
	"time"

	"pixgraph/upstream/http1"
)

// hoard is a connection that keeps what is written to it until the test lets so much of it go.
type hoard struct {
	net.Conn
	hoarding bool
	bytes    bytes.Buffer
}

func (h *hoard) Write(p []byte) (int, error) {
	if h.hoarding {
		return h.bytes.Write(p)
	}
	return h.Conn.Write(p)
}

// let sends all but the last bytes that were kept, in one piece.
func (h *hoard) let(but int) {
	_ = h.SetWriteDeadline(time.Time{}) // which a farewell leaves behind
	_, _ = h.Conn.Write(h.bytes.Next(h.bytes.Len() - but))
}

func TestTLS(t *testing.T) {
	const unasked = `{"of":"another caller"}`
	const records = 12 << 10 // more than fits into one read with the answer
	tests := []struct {
		name   string
		answer func(*tls.Conn, *hoard) // to the first request, and what comes behind
		kept   bool
	}{
		{"one answer", func(c *tls.Conn, h *hoard) { _, _ = c.Write([]byte(ok("{}"))); h.let(0) }, true},
		{"a large answer", func(c *tls.Conn, h *hoard) {
			_, _ = c.Write([]byte(ok(string(bytes.Repeat([]byte("x"), 200_000)))))
			h.let(0)
		}, true},
		{"two in one record", func(c *tls.Conn, h *hoard) { _, _ = c.Write([]byte(ok("{}") + ok(unasked))); h.let(0) }, false},
		{"two, the second one behind the reader's buffer", func(c *tls.Conn, h *hoard) {
			_, _ = c.Write([]byte(ok(string(bytes.Repeat([]byte("x"), records))) + ok(unasked)))
			h.let(0)
		}, false},
		{"two in two records", func(c *tls.Conn, h *hoard) {
			_, _ = c.Write([]byte(ok("{}")))
			_, _ = c.Write([]byte(ok(unasked)))
			h.let(0)
		}, false},
		{"one and a part of another record", func(c *tls.Conn, h *hoard) {
			_, _ = c.Write([]byte(ok("{}")))
			_, _ = c.Write([]byte(ok(unasked)))
			h.let(10)
		}, false},
		{"one and a part of another record's header", func(c *tls.Conn, h *hoard) {
			_, _ = c.Write([]byte(ok("{}")))
			before := h.bytes.Len()
			_, _ = c.Write([]byte(ok(unasked)))
			h.let(h.bytes.Len() - before - 3)
		}, false},
		{"one and a farewell", func(c *tls.Conn, h *hoard) {
			_, _ = c.Write([]byte(ok("{}")))
			_ = c.CloseWrite()
			h.let(0)
		}, false},
	}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, tt := range tests {
			t.Run(tls.VersionName(version)+" "+tt.name, func(t *testing.T) {
				config, known := authority(t)
				config.MinVersion, config.MaxVersion = version, version
				s := serve(t, func(p *peer) {
					below := &hoard{Conn: p.Conn}
					p.Conn = below
					p.speakTLS(config)
					for n := 0; p.request(); n++ {
						if p.number > 1 || n > 0 {
							p.write(ok("{}"))
							continue
						}
						below.hoarding = true
						tt.answer(p.Conn.(*tls.Conn), below)
						below.hoarding = false
					}
				})
				host := newHost(t, s, known)
				for i := range 3 {
					answer, err := get(host, func(r *http1.Request) { r.MaxBody = 1 << 20 })
					if err != nil || i > 0 && string(answer.Body) != "{}" || bytes.Contains(answer.Body, []byte(unasked)) {
						t.Fatalf("answer %d is %.40q, error %v", i, answer.Body, err)
					}
				}
				if got, want := s.connections.Load(), map[bool]int32{true: 1, false: 2}[tt.kept]; got != want {
					t.Errorf("%d connections, want %d", got, want)
				}
			})
		}
	}
}

// What is not the server that the URL names gets no request.
func TestTLSIsVerified(t *testing.T) {
	config, known := authority(t)
	old := config.Clone()
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	tests := []struct {
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
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(p *peer) {
				p.speakTLS(tt.server)
				_ = p.request()
			})
			answer, err := get(newHost(t, s, tt.host))
			if err == nil || answer.Attempts != 1 {
				t.Errorf("error %v after %d attempts", err, answer.Attempts)
			}
			var certificate *tls.CertificateVerificationError
			if tt.server == config && !errors.As(err, &certificate) {
				t.Errorf("error %v", err)
			}
			if got := s.requests.Load(); got != 0 {
				t.Errorf("%d requests were sent", got)
			}
		})
	}
}

// A handshake that never ends is not waited for beyond the deadline.
func TestHandshakesEnd(t *testing.T) {
	t.Parallel()
	s := serve(t, (*peer).gone)
	if answer, err := get(newHost(t, s, overTLS), soon); err == nil || answer.Attempts != 1 {
		t.Errorf("error %v after %d attempts", err, answer.Attempts)
	}
}
