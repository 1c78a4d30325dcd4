package http1_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/leaktest"
	"pixgraph/internal/memnet"
	"pixgraph/upstream/http1"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { leaktest.Main(m) }

// network connects hosts to the servers of serveInMemory.
var network memnet.Network

// server is a server whose responses the test writes.
type server struct {
	url         *url.URL
	connections atomic.Int32 // accepted
	requests    atomic.Int32 // complete headers read

	dial func(ctx context.Context, network, address string) (net.Conn, error) // nil for TCP
}

// peer is the server's side of one connection.
type peer struct {
	net.Conn
	server *server
	reader *bufio.Reader
	number int    // of the connection, from 1
	first  string // line of the last request
}

// serve starts a server that passes each connection to handle, and closes it when handle returns. The server runs until
// the end of the test.
func serve(t testing.TB, handle func(*peer)) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, listener, handle)
}

// serveInMemory is serve over the network in memory, for tests in a bubble.
func serveInMemory(t testing.TB, handle func(*peer)) *server {
	t.Helper()
	listener, err := network.Listen()
	if err != nil {
		t.Fatal(err)
	}
	s := serveOn(t, listener, handle)
	s.dial = network.DialContext
	return s
}

func serveOn(t testing.TB, listener net.Listener, handle func(*peer)) *server {
	s := &server{url: &url.URL{Scheme: "http", Host: listener.Addr().String()}}
	over, end := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p := &peer{Conn: conn, server: s, reader: bufio.NewReader(conn), number: int(s.connections.Add(1))}
			stop := context.AfterFunc(over, func() { _ = conn.Close() })
			group.Go(func() {
				defer stop()
				defer conn.Close()
				handle(p)
			})
		}
	})
	t.Cleanup(func() {
		end()
		_ = listener.Close()
		group.Wait()
	})
	return s
}

// request reads the header of one request, and reports whether there was one.
func (p *peer) request() bool {
	var err error
	if p.first, err = p.reader.ReadString('\n'); err != nil {
		return false
	}
	for {
		line, err := p.reader.ReadString('\n')
		if err != nil {
			return false
		}
		if line == "\r\n" {
			p.server.requests.Add(1)
			return true
		}
	}
}

func (p *peer) write(text string) { _, _ = p.Write([]byte(text)) }

// gone waits until the client closes the connection, or the test ends.
func (p *peer) gone() { _, _ = p.reader.WriteTo(discard{}) }

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// ok is a complete response with status 200.
func ok(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

func get(host getter, changes ...func(*http1.Request)) (http1.Answer, error) {
	request := http1.Request{Target: "/", Deadline: time.Now().Add(timeout), MaxBody: 1000}
	for _, change := range changes {
		change(&request)
	}
	return host.Get(context.Background(), request)
}

// getter is a Host, or netHTTP.
type getter interface {
	Get(context.Context, http1.Request) (http1.Answer, error)
}

func newHost(t testing.TB, s *server, changes ...func(*http1.Config)) *http1.Host {
	t.Helper()
	config := http1.Config{URL: s.url, MaxIdle: 10, Dial: s.dial}
	for _, change := range changes {
		change(&config)
	}
	host, err := http1.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(host.CloseIdle)
	return host
}

// netHTTP makes requests with net/http's Transport, to compare with.
type netHTTP struct {
	http.Transport
	server *url.URL
	bodies http1.Bodies
}

func newNetHTTP(t testing.TB, s *server) *netHTTP {
	h := &netHTTP{Transport: http.Transport{DisableCompression: true, MaxResponseHeaderBytes: 64 << 10}, server: s.url}
	t.Cleanup(h.CloseIdleConnections)
	return h
}

func (h *netHTTP) Get(ctx context.Context, request http1.Request) (answer http1.Answer, err error) {
	ctx, cancel := context.WithDeadline(ctx, request.Deadline)
	defer cancel()
	r := &http.Request{Method: http.MethodGet, URL: h.server.JoinPath(request.Target), Header: http.Header{"Authorization": {request.Bearer}}}
	resp, err := h.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return answer, err
	}
	defer resp.Body.Close()
	if answer.Status = resp.StatusCode; answer.Status == http.StatusOK {
		err = h.bodies.Read(resp, &request, &answer)
	}
	return answer, err
}

// timeout is how long a test waits for an event that must happen. No result depends on it.
const timeout = 2 * time.Minute

// soon sets a deadline for a request that never gets a response.
func soon(r *http1.Request) { r.Deadline = time.Now().Add(20 * time.Millisecond) }

// bubble runs a subtest with a clock of its own, which moves on when all goroutines wait.
func bubble(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// authority returns the TLS configuration of a server for 127.0.0.1, and a function that makes a host use TLS and trust
// that server.
func authority(t testing.TB) (*tls.Config, func(*http1.Config)) {
	t.Helper()
	donor := httptest.NewUnstartedServer(nil)
	donor.StartTLS()
	defer donor.Close()
	known := x509.NewCertPool()
	known.AddCert(donor.Certificate())
	return &tls.Config{Certificates: donor.TLS.Certificates}, func(c *http1.Config) {
		overTLS(c)
		c.TLS = func() *tls.Config { return &tls.Config{RootCAs: known} }
	}
}

// speakTLS starts TLS on the connection.
func (p *peer) speakTLS(config *tls.Config) {
	p.Conn = tls.Server(p.Conn, config)
	p.reader.Reset(p.Conn)
}

func overTLS(c *http1.Config) { c.URL = &url.URL{Scheme: "https", Host: c.URL.Host} }

func TestRequestBytes(t *testing.T) {
	tests := []struct {
		name   string
		config func(*http1.Config)
		change func(*http1.Request)
		want   []string
	}{
		{
			"plain", func(*http1.Config) {}, func(r *http1.Request) { r.Target = "/a%2Fb?c=d+e" },
			[]string{"GET /a%2Fb?c=d+e HTTP/1.1", "Host: <host>", "Accept-Encoding: identity"},
		},
		{
			"with all fields", func(c *http1.Config) {
				c.Compression, c.Fields = true, []http1.Field{{Name: "Accept", Value: "text/plain"}}
			},
			func(r *http1.Request) {
				r.Bearer, r.Fields = "token", []http1.Field{{Name: "X-Request-Id", Value: "1"}, {Name: "Traceparent"}, {Name: "X-Last", Value: "é"}}
			},
			[]string{"GET / HTTP/1.1", "Host: <host>", "Accept-Encoding: gzip", "Accept: text/plain", "Authorization: Bearer token", "X-Request-Id: 1", "X-Last: é"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sent := make(chan string, 2)
			s := serve(t, func(p *peer) {
				buffer := make([]byte, 4096)
				for { // each request is one write
					n, err := p.Read(buffer)
					if err != nil {
						return
					}
					sent <- string(buffer[:n])
					p.write(ok("{}"))
				}
			})
			host := newHost(t, s, tt.config)
			for range 2 {
				if _, err := get(host, tt.change); err != nil {
					t.Fatal(err)
				}
				want := strings.ReplaceAll(strings.Join(tt.want, "\r\n"), "<host>", s.url.Host) + "\r\n\r\n"
				if got := <-sent; got != want {
					t.Errorf("sent %q, want %q", got, want)
				}
			}
		})
	}
}

// TestControlCharactersAreRejected: a control character, which could start another line or request, is rejected before
// anything is sent.
func TestControlCharactersAreRejected(t *testing.T) {
	s := serve(t, (*peer).gone)
	host := newHost(t, s)
	for _, bad := range []string{"a\r\nb", "a\nb", "\r", "a\x00", "\ta", "\x1b", "\x7f"} {
		changes := map[string]func(*http1.Request){
			"target": func(r *http1.Request) { r.Target = "/" + bad },
			"bearer": func(r *http1.Request) { r.Bearer = bad },
			"value":  func(r *http1.Request) { r.Fields = []http1.Field{{Name: "A", Value: bad}} },
			"name":   func(r *http1.Request) { r.Fields = []http1.Field{{Name: bad, Value: "a"}} },
		}
		for name, change := range changes {
			if answer, err := get(host, change); !errors.Is(err, http1.ErrField) || answer.Attempts != 0 {
				t.Errorf("%s %q: %v", name, bad, err)
			}
		}
		if _, err := http1.New(http1.Config{URL: s.url, Fields: []http1.Field{{Name: "A", Value: bad}}}); err == nil {
			t.Errorf("New accepts %q", bad)
		}
	}
	if got := s.connections.Load(); got != 0 {
		t.Errorf("%d connections, want none", got)
	}
}

// TestHostHeader: the Host header is the URL's host without the zone of an IPv6 address.
func TestHostHeader(t *testing.T) {
	tests := []struct{ name, host, want string }{
		{"name", "api.example", "api.example"},
		{"name and port", "api.example:8080", "api.example:8080"},
		{"IPv6", "[::1]:8080", "[::1]:8080"},
		{"IPv6 with a zone", "[fe80::1%eth0]:8080", "[fe80::1]:8080"},
		{"IPv6 with a zone and no port", "[fe80::1%eth0]", "[fe80::1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := http1.Authority(tt.host); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
