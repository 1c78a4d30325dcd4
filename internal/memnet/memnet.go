// Package memnet is a network within one process, for tests: its connections are buffers of a fixed size, and its
// deadlines are timers. So package synctest owns the clock of everything that waits for it, a slow reader stops the
// writer after the same number of bytes everywhere, and no test waits for the kernel.
//
// It imitates TCP on loopback as far as HTTP clients and servers notice: half-closed connections, resets, deadlines,
// and the errors of package net. It does not imitate latency, loss, or a reset by a close with unread bytes.
//
// It is for tests only. Read first: Network.
package memnet

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

const (
	firstPort       = 1000  // of listeners: a port that real servers of tests never get, and no HTTP status
	firstClientPort = 10000 // of the other ends
	maxQueue        = 1024  // connections that a listener has not accepted; more are refused
)

// Network has listeners, and connects to them. Its zero value is an empty one. It is safe for concurrent use.
type Network struct {
	mutex     sync.Mutex
	listeners map[string]*listener // by address; nil for a closed one
	names     map[string][]net.IPAddr
	dialed    int
}

// Listen begins to listen on an address of its own.
func (n *Network) Listen() (net.Listener, error) { return n.ListenOn("localhost:0") }

// ListenOn begins to listen on an address as net.Listen does: on port 0 of a host it gets a port that no listener had,
// and without a host, or with an unspecified address, all addresses with the port.
func (n *Network) ListenOn(address string) (net.Listener, error) {
	at, err := n.resolve(context.Background(), address)
	if err != nil {
		return nil, err
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.listeners == nil {
		n.listeners = map[string]*listener{}
	}
	if at.Port == 0 {
		at.Port = firstPort + len(n.listeners)
	}
	if n.listeners[at.String()] != nil {
		return nil, failure("listen", syscall.EADDRINUSE)
	}
	l := &listener{network: n, address: at, queue: make(chan *Conn, maxQueue), closed: make(chan struct{})}
	n.listeners[at.String()] = l
	return l, nil
}

// SetName changes the addresses of a name; none removes it. The name localhost has 127.0.0.1.
func (n *Network) SetName(name string, addresses ...string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.names == nil {
		n.names = map[string][]net.IPAddr{}
	}
	n.names[name] = nil
	for _, address := range addresses {
		n.names[name] = append(n.names[name], net.IPAddr{IP: net.ParseIP(address)})
	}
}

// LookupIPAddr returns the addresses of a name, as net.Resolver does.
func (n *Network) LookupIPAddr(ctx context.Context, host string) (found []net.IPAddr, err error) {
	if ip := net.ParseIP(host); ip != nil {
		return []net.IPAddr{{IP: ip}}, nil
	}
	trace := traceOf(ctx)
	trace.DNSStart(httptrace.DNSStartInfo{Host: host})
	defer func() { trace.DNSDone(httptrace.DNSDoneInfo{Addrs: found, Err: err}) }()
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if found = n.names[host]; len(found) == 0 && host == "localhost" {
		found = []net.IPAddr{{IP: loopback(0).IP}}
	}
	if len(found) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return found, nil
}

// traceOf returns the hooks of a context that package net calls too.
func traceOf(ctx context.Context) *httptrace.ClientTrace {
	return httptrace.ContextClientTrace(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) {}, DNSDone: func(httptrace.DNSDoneInfo) {}, ConnectDone: func(string, string, error) {},
	}))
}

// resolve returns the first address of a name with a port.
func (n *Network) resolve(ctx context.Context, address string) (*net.TCPAddr, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host == "" {
		host = net.IPv6unspecified.String()
	}
	ips, err := n.LookupIPAddr(ctx, host)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(port)
	return &net.TCPAddr{IP: ips[0].IP, Port: number}, err
}

// listenerOf returns the listener of an address, or of all addresses with its port; nil for none.
func (n *Network) listenerOf(at *net.TCPAddr) *listener {
	for _, ip := range []net.IP{at.IP, net.IPv4zero, net.IPv6unspecified} {
		if l := n.listeners[(&net.TCPAddr{IP: ip, Port: at.Port}).String()]; l != nil {
			return l
		}
	}
	return nil
}

func loopback(port int) *net.TCPAddr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port} }

// DialContext connects to a listener.
func (n *Network) DialContext(ctx context.Context, network, address string) (conn net.Conn, err error) {
	at, err := n.resolve(ctx, address)
	if err != nil {
		return nil, failure("dial", err)
	}
	defer func() { traceOf(ctx).ConnectDone(network, at.String(), err) }()
	n.mutex.Lock()
	defer n.mutex.Unlock()
	switch l := n.listenerOf(at); {
	case ctx.Err() != nil:
		return nil, failure("dial", ctx.Err())
	case l == nil || len(l.queue) == maxQueue:
		return nil, failure("dial", syscall.ECONNREFUSED)
	default:
		n.dialed++
		client, server := Pipe(loopback(firstClientPort+n.dialed), at)
		l.queue <- server
		return client, nil
	}
}

// Serve serves a handler until the end of the test, and returns its URL. The changes are those of the server. With a
// TLSConfig it serves with TLS, and with a certificate of package httptest if it has none.
func (n *Network) Serve(t testing.TB, handler http.Handler, changes ...func(*http.Server)) string {
	t.Helper()
	l, err := n.Listen()
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: handler}}
	for _, change := range changes {
		change(server.Config)
	}
	if server.TLS = server.Config.TLSConfig; server.TLS != nil {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server.URL
}

// Client returns a client that keeps connections until the end of the test.
func (n *Network) Client(t testing.TB) *http.Client {
	transport := &http.Transport{DialContext: n.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

type listener struct {
	network *Network
	address *net.TCPAddr
	queue   chan *Conn
	once    sync.Once
	closed  chan struct{}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.queue:
		return c, nil
	case <-l.closed:
		return nil, failure("accept", net.ErrClosed)
	}
}

// Close implements net.Listener. It resets the connections that were not accepted.
func (l *listener) Close() error {
	l.once.Do(func() {
		l.network.mutex.Lock()
		l.network.listeners[l.address.String()] = nil
		l.network.mutex.Unlock() // no connection is added any more
		close(l.closed)
		for {
			select {
			case c := <-l.queue:
				c.reset()
			default:
				return
			}
		}
	})
	return nil
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return l.address }

func failure(op string, err error) error { return &net.OpError{Op: op, Net: "tcp", Err: err} }
