package egresstest

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// DNS is a DNS server with addresses of IPv4.
type DNS struct {
	mutex sync.Mutex
	names map[string][]netip.Addr
}

// NewDNS starts a DNS server and makes the process use it until the end of the test, which must not run in parallel
// with others.
func NewDNS(t testing.TB) *DNS {
	t.Helper()
	conn, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &DNS{names: map[string][]netip.Addr{}}
	var group sync.WaitGroup
	group.Go(func() { d.serve(conn) })
	former := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	t.Cleanup(func() {
		net.DefaultResolver = former
		_ = conn.Close()
		group.Wait()
	})
	return d
}

// Set changes the addresses of a name, which ends with a dot.
func (d *DNS) Set(name string, addresses ...string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.names[name] = nil
	for _, address := range addresses {
		d.names[name] = append(d.names[name], netip.MustParseAddr(address))
	}
}

func (d *DNS) serve(conn net.PacketConn) {
	packet := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(packet)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(packet[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		question := m.Questions[0]
		d.mutex.Lock()
		addresses, known := d.names[question.Name.String()]
		d.mutex.Unlock()
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		if !known {
			m.RCode = dnsmessage.RCodeNameError
		} else if question.Type == dnsmessage.TypeA {
			for _, address := range addresses {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: question.Name, Class: question.Class, Type: question.Type},
					Body:   &dnsmessage.AResource{A: address.As4()},
				})
			}
		}
		if text, err := m.Pack(); err == nil {
			_, _ = conn.WriteTo(text, from)
		}
	}
}
