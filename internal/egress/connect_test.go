package egress_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/egress"
	"pixgraph/internal/memnet"
)

// silent is a network in which only 127.0.0.1 answers.
type silent struct{ *memnet.Network }

// DialContext implements egress.Dialer.
func (s silent) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if strings.HasPrefix(address, "127.0.0.1:") {
		return s.Network.DialContext(ctx, network, address)
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestAddressesThatDoNotAnswer: an address that answers is used within the connect timeout, although those before it do
// not answer.
func TestAddressesThatDoNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const before = 8
		network := silent{&memnet.Network{}}
		listener, err := network.ListenOn("127.0.0.1:80")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		var addresses []string
		for i := range before {
			addresses = append(addresses, fmt.Sprint("127.0.0.", i+2))
		}
		network.SetName("core.test", append(addresses, "127.0.0.1")...)
		began := time.Now()
		conn, err := open(t, egress.Config{Dialer: network, Resolver: network}).Dial(t.Context(), "tcp", "core.test:80")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if took := time.Since(began); conn.RemoteAddr().String() != "127.0.0.1:80" || took != before*time.Second/4 {
			t.Errorf("connected to %s after %s", conn.RemoteAddr(), took)
		}
	})
}
