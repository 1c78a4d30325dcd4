package http1_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/memnet"
	"pixgraph/upstream/http1"
)

// network connects hosts to servers.
var network memnet.Network

// server is a server whose responses the test writes.
type server struct {
	url         *url.URL
	connections atomic.Int32 // accepted
	requests    atomic.Int32 // complete headers read
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
	listener, err := network.Listen()
	must(t, err)
	return serveOn(t, listener, handle)
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

// echo responds to each request.
func (p *peer) echo() {
	for p.request() {
		p.write(ok("{}"))
	}
}

// echoAfter is echo, and calls a function before the first response over the first connection.
func (p *peer) echoAfter(first func()) {
	for n := 0; p.request(); n++ {
		if p.number == 1 && n == 0 {
			first()
		}
		p.write(ok("{}"))
	}
}

// wantConnections fails the test unless there was one connection that was kept, or two.
func (s *server) wantConnections(t *testing.T, kept bool) {
	t.Helper()
	if got, want := s.connections.Load(), map[bool]int32{true: 1, false: 2}[kept]; got != want {
		t.Errorf("%d connections, want %d", got, want)
	}
}

// gone waits until the client closes the connection, or the test ends.
func (p *peer) gone() { _, _ = p.reader.WriteTo(io.Discard) }

// ok is a complete response with status 200.
func ok(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// authority returns the TLS configuration of a server for 127.0.0.1, and a function that makes a host use TLS and trust
// that server.
func authority(t testing.TB) (*tls.Config, func(*http1.Config)) {
	t.Helper()
	ca := certstest.New(t, "ca")
	known := ca.Pool()
	return &tls.Config{Certificates: []tls.Certificate{ca.Issue(t, 24*time.Hour, "127.0.0.1").TLS(t)}}, func(c *http1.Config) {
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
