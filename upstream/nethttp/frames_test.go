package nethttp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"pixgraph/internal/certs/certstest"
	"pixgraph/upstream/http1"
	"pixgraph/upstream/nethttp"
)

// peer is the server's side of an HTTP/2 connection, whose frames the test writes.
type peer struct {
	*http2.Framer
	conn net.Conn
}

// headers writes a header block of one response.
func (p *peer) headers(stream uint32, end bool, fields ...string) {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for i := 0; i < len(fields); i += 2 {
		_ = encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	rest, first := block.Bytes(), true
	for len(rest) > 0 {
		n := min(len(rest), 16<<10)
		if first {
			_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: rest[:n], EndStream: end, EndHeaders: n == len(rest)})
		} else if p.WriteContinuation(stream, n == len(rest), rest[:n]) != nil {
			return
		}
		rest, first = rest[n:], false
	}
}

// serveFrames starts a server that calls answer for each request. It returns the number of requests.
func serveFrames(t *testing.T, settings []http2.Setting, answer func(*peer, uint32)) (*nethttp.Host, *atomic.Int32) {
	t.Helper()
	pair := certstest.New(t, "ca").Issue(t, 24*time.Hour).TLS(t)
	listener := tls.NewListener(listen(t), &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2"}})
	var (
		requests atomic.Int32
		group    sync.WaitGroup
	)
	over, end := context.WithCancel(context.Background())
	group.Go(func() {
		acceptEach(listener, func(conn net.Conn) {
			defer conn.Close()
			defer context.AfterFunc(over, func() { _ = conn.Close() })()
			if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
				return
			}
			p := &peer{http2.NewFramer(conn, conn), conn}
			_ = p.WriteSettings(settings...)
			for {
				frame, err := p.ReadFrame()
				if err != nil {
					return
				}
				switch f := frame.(type) {
				case *http2.HeadersFrame:
					requests.Add(1)
					answer(p, f.StreamID)
				case *http2.PingFrame:
					_ = p.WritePing(true, f.Data)
				}
			}
		})
	})
	t.Cleanup(func() {
		end()
		_ = listener.Close()
		group.Wait()
	})
	return host(t, &server{Server: &httptest.Server{URL: "https://" + listener.Addr().String()}}), &requests
}

// TestHostileFrames: whatever a server sends, a request ends in time with an error, and is not sent more than three
// times.
func TestHostileFrames(t *testing.T) {
	ok := []string{":status", "200"}
	tests := []struct {
		name     string
		settings []http2.Setting
		answer   func(*peer, uint32)
		requests int32
		late     bool // whether the deadline may end it
	}{
		{"GOAWAY on every connection", nil, func(p *peer, stream uint32) { _ = p.WriteGoAway(stream-1, http2.ErrCodeNo, nil) }, 3, false},
		{"the end of every connection", nil, func(p *peer, _ uint32) { _ = p.conn.Close() }, 3, false},
		{"REFUSED_STREAM", nil, func(p *peer, stream uint32) { _ = p.WriteRSTStream(stream, http2.ErrCodeRefusedStream) }, 1, false},
		{"silence", nil, func(*peer, uint32) {}, 1, true},
		{"a header without a body", nil, func(p *peer, stream uint32) { p.headers(stream, false, ok...) }, 1, true},
		{"half a body, and a reset", nil, func(p *peer, stream uint32) {
			p.headers(stream, false, append(ok, "content-length", "10")...)
			_ = p.WriteData(stream, false, []byte("12345"))
			_ = p.WriteRSTStream(stream, http2.ErrCodeInternal)
		}, 1, false},
		{"a body shorter than its length", nil, func(p *peer, stream uint32) {
			p.headers(stream, false, append(ok, "content-length", "10")...)
			_ = p.WriteData(stream, true, []byte("12345"))
		}, 1, false},
		{"truncated gzip", nil, func(p *peer, stream uint32) {
			p.headers(stream, false, append(ok, "content-encoding", "gzip")...)
			_ = p.WriteData(stream, true, []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1})
		}, 1, false},
		{"a header above the limit", nil, func(p *peer, stream uint32) {
			p.headers(stream, true, append(ok, "a", strings.Repeat("a~", 1<<20))...)
		}, 3, false},
		{"informational responses", nil, func(p *peer, stream uint32) {
			for range 5000 {
				p.headers(stream, false, ":status", "103", "link", strings.Repeat("a~", 100))
			}
		}, 3, false},
		{"a response to another stream", nil, func(p *peer, stream uint32) { p.headers(stream+2, true, ok...) }, 1, true},
		{"no streams allowed", []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 0}}, func(*peer, uint32) {}, 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, requests := serveFrames(t, tt.settings, tt.answer)
				answer, err := h.Get(t.Context(), http1.Request{Target: "/", Deadline: time.Now().Add(timeout), MaxBody: 1000})
				if err == nil || errors.Is(err, os.ErrDeadlineExceeded) && !tt.late || answer.Body != nil {
					t.Errorf("status %d, error %v", answer.Status, err)
				}
				if got := requests.Load(); got > tt.requests || answer.Attempts > int(tt.requests) {
					t.Errorf("%d requests, %d attempts, want at most %d", got, answer.Attempts, tt.requests)
				}
			})
		})
	}
}
