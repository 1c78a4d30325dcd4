package httpserver_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"pixgraph/internal/certs"
	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/httpserver"
	"pixgraph/internal/memnet"
	"pixgraph/test/gatewaytest"
)

// secure is a server with TLS.
type secure struct {
	*testing.T
	ca      *certstest.CA
	network memnet.Network
	address string
	log     gatewaytest.Log
	stall   atomic.Bool // makes connections accept nothing more
}

// stallingListener has connections that accept nothing once the test says so.
type stallingListener struct {
	net.Listener
	stall *atomic.Bool
}

func (l stallingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return &stallingConn{conn, l.stall, make(chan struct{}), sync.Once{}}, err
}

type stallingConn struct {
	net.Conn
	stall   *atomic.Bool
	closed  chan struct{}
	closing sync.Once
}

// RemoteAddr is that of each client of a unix socket.
func (c *stallingConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (c *stallingConn) Write(p []byte) (int, error) {
	if !c.stall.Load() {
		return c.Conn.Write(p)
	}
	<-c.closed
	return 0, net.ErrClosed
}

func (c *stallingConn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// startSecure starts a server for a handler, for requests over HTTP/2 of the given number at a time.
func startSecure(t *testing.T, handler http.Handler, requests int) *secure {
	t.Helper()
	return serveSecure(t, httpserver.BoundHTTP2(handler, requests))
}

// serveSecure starts a server for a handler, whose listener may be wrapped.
func serveSecure(t *testing.T, handler http.Handler, wrap ...func(net.Listener) net.Listener) *secure {
	t.Helper()
	s := &secure{T: t, ca: certstest.New(t, "ca")}
	cert, key := s.ca.Issue(t, 24*time.Hour).Write(t, t.TempDir())
	files, err := certs.Open(certs.Config{Cert: certs.File{Path: cert}, Key: certs.File{Path: key}, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	listener, err := s.network.Listen()
	must(t, err)
	s.address = listener.Addr().String()
	server := httpserver.New(handler, slog.New(slog.NewJSONHandler(&s.log, nil)))
	ended := make(chan error, 1)
	listener = stallingListener{listener, &s.stall}
	for _, around := range wrap {
		listener = around(listener)
	}
	go func() { ended <- httpserver.Serve(server, listener, files) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		files.Close()
	})
	return s
}

// client returns a client of HTTP/2 with one connection.
func (s *secure) client() *http.Client {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: s.ca.Pool()}, Protocols: new(http.Protocols),
		HTTP2: &http.HTTP2Config{StrictMaxConcurrentRequests: true}, DialContext: s.network.DialContext,
	}
	transport.Protocols.SetHTTP2(true)
	s.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// get requests a path. The error includes that of the body.
func (s *secure) get(ctx context.Context, client *http.Client, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+s.address+path, nil)
	must(s, err)
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// raw is a connection of HTTP/2 whose frames the test writes.
type raw struct {
	*secure
	conn *tls.Conn
	*http2.Framer
	block bytes.Buffer
	hpack *hpack.Encoder
	next  uint32
}

// connect makes a connection without TLS, which ends with the test.
func (s *secure) connect() net.Conn {
	s.Helper()
	conn, err := s.network.DialContext(s.Context(), "tcp", s.address)
	must(s, err)
	s.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (s *secure) dial(settings ...http2.Setting) *raw {
	s.Helper()
	conn := tls.Client(s.connect(), &tls.Config{RootCAs: s.ca.Pool(), NextProtos: []string{"h2"}, ServerName: "127.0.0.1"})
	r := &raw{secure: s, conn: conn, Framer: http2.NewFramer(conn, conn), next: 1}
	r.hpack = hpack.NewEncoder(&r.block)
	r.must(io.WriteString(conn, http2.ClientPreface))
	r.must(0, r.WriteSettings(settings...))
	return r
}

func (r *raw) must(_ int, err error) {
	r.Helper()
	must(r, err)
}

// request sends a request with additional fields, and returns its stream.
func (r *raw) request(path string, fields ...[2]string) (stream uint32, err error) {
	r.block.Reset()
	pseudo := [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", r.address}, {":path", path}}
	for _, field := range append(pseudo, fields...) {
		_ = r.hpack.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}) // to a buffer
	}
	stream = r.next
	r.next += 2
	return stream, r.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: r.block.Bytes(), EndStream: true, EndHeaders: true})
}

// until reads frames until one satisfies the condition, or the connection ends.
func (r *raw) until(found func(http2.Frame) bool) error {
	_ = r.conn.SetReadDeadline(time.Now().Add(gatewaytest.Timeout))
	for {
		frame, err := r.ReadFrame()
		if err != nil || found(frame) {
			return err
		}
	}
}
