package redistest

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"pixgraph/internal/delay"
)

// Proxy forwards connections to an address. It ends with the test. Its methods are safe for concurrent use, and apply
// to all bytes that a client or the server sends after they return.
type Proxy struct {
	address, to string
	delay       atomic.Int64 // time.Duration

	mutex sync.Mutex
	uncut context.Context // of the connections; done when they are cut
	cut   context.CancelFunc
	conns sync.WaitGroup
}

// StartProxy starts a proxy in front of an address, host:port.
func StartProxy(t T, to string) *Proxy {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("%v", err)
	}
	p := &Proxy{address: listener.Addr().String(), to: to}
	p.uncut, p.cut = context.WithCancel(context.Background())
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.accept(conn)
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		accepting.Wait()
		p.Cut(true)
	})
	return p
}

// Address returns the host and the port of the proxy.
func (p *Proxy) Address() string { return p.address }

// Delay makes the bytes of each direction arrive later by a duration, or by two if they follow others. 0 ends it.
func (p *Proxy) Delay(d time.Duration) { p.delay.Store(int64(d)) }

// Cut closes all connections before it returns, and each new one at once. False forwards new connections again.
func (p *Proxy) Cut(cut bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if cut {
		p.cut()
		p.conns.Wait()
	} else if p.uncut.Err() != nil {
		p.uncut, p.cut = context.WithCancel(context.Background())
	}
}

// accept forwards a connection in goroutines of its own.
func (p *Proxy) accept(client net.Conn) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.uncut.Err() != nil {
		_ = client.Close()
		return
	}
	ctx, end := context.WithCancel(p.uncut)
	p.conns.Go(func() {
		defer end()
		defer client.Close()
		server, err := new(net.Dialer).DialContext(ctx, "tcp", p.to)
		if err != nil {
			return
		}
		var copies sync.WaitGroup
		copies.Go(func() { p.copy(ctx, end, server, client) })
		copies.Go(func() { p.copy(ctx, end, client, server) })
		<-ctx.Done()
		_ = client.Close()
		_ = server.Close()
		copies.Wait()
	})
}

// copy forwards one direction to its end, and then ends the connection: Redis does not close one direction alone. What
// arrives during a delay is forwarded together, after the next one.
func (p *Proxy) copy(ctx context.Context, end func(), to, from net.Conn) {
	defer end()
	for buffer := make([]byte, 32<<10); ; {
		n, err := from.Read(buffer)
		if err != nil || !delay.Sleep(ctx, time.Duration(p.delay.Load())) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
