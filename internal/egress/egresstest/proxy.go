// Package egresstest has what is between a gateway and a server in tests: a proxy.
//
// Only tests import it. Read first: NewProxy.
package egresstest

import (
	"bufio"
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"pixgraph/internal/memnet"
)

// Proxy is an HTTP proxy that makes tunnels (CONNECT). It ends with the test.
type Proxy struct {
	URL         string
	Credentials string            // user:password that it demands; "" for none
	Names       map[string]string // host and port of a tunnel -> the address to dial; others are refused
	Tunnels     atomic.Int32      // that were made
	Refused     atomic.Int32      // requests

	network  *memnet.Network
	mutex    sync.Mutex
	requests []*http.Request
	closed   bool
	conns    []net.Conn
}

// NewProxy starts a proxy in a network. The test sets its fields before the first connection.
func NewProxy(t testing.TB, network *memnet.Network) *Proxy {
	t.Helper()
	listener, err := network.Listen()
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{URL: "http://" + listener.Addr().String(), Names: map[string]string{}, network: network}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if p.keep(conn) {
				group.Go(func() { p.serve(conn) })
			}
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		p.closeAll()
		group.Wait()
	})
	return p
}

// Requests returns the requests so far: their headers must have no token of a caller.
func (p *Proxy) Requests() []*http.Request {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]*http.Request{}, p.requests...)
}

func (p *Proxy) keep(conn net.Conn) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.closed {
		_ = conn.Close()
		return false
	}
	p.conns = append(p.conns, conn)
	return true
}

func (p *Proxy) closeAll() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.closed = true
	for _, conn := range p.conns {
		_ = conn.Close()
	}
}

func (p *Proxy) serve(conn net.Conn) {
	defer conn.Close()
	reader := bufio.NewReader(conn)
	r, err := http.ReadRequest(reader)
	if err != nil {
		return
	}
	p.mutex.Lock()
	p.requests = append(p.requests, r)
	p.mutex.Unlock()
	refuse := func(status string) {
		p.Refused.Add(1)
		_, _ = io.WriteString(conn, "HTTP/1.1 "+status+"\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
	}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(p.Credentials))
	address, known := p.Names[r.Host]
	switch {
	case p.Credentials != "" && r.Header.Get("Proxy-Authorization") != want:
		refuse("407 Proxy Authentication Required")
		return
	case r.Method != http.MethodConnect || !known:
		refuse("403 Forbidden")
		return
	}
	server, err := p.network.DialContext(context.Background(), "tcp", address)
	if err != nil {
		refuse("502 Bad Gateway")
		return
	}
	if !p.keep(server) {
		return
	}
	defer server.Close()
	p.Tunnels.Add(1)
	_, _ = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(server, reader)
		_ = server.Close()
	}()
	_, _ = io.Copy(conn, server)
	_ = conn.Close()
	<-done
}
