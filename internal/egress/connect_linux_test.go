package egress_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"pixgraph/internal/egress"
	"pixgraph/internal/egress/egresstest"
)

// TestAddressesThatDoNotAnswer: an address that answers is used within the connect timeout, although those before it do
// not answer.
func TestAddressesThatDoNotAnswer(t *testing.T) {
	const silent = 8
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	var addresses []string
	for i := range silent {
		addresses = append(addresses, fmt.Sprint("127.0.0.", i+2))
		egresstest.Silent(t, net.JoinHostPort(addresses[i], port))
	}
	egresstest.NewDNS(t).Set("core.pixgraph.test.", append(addresses, "127.0.0.1")...)
	ctx, cancel := context.WithTimeout(t.Context(), 2*silent*time.Second) // what net.Dialer gives the silent ones
	defer cancel()
	conn, err := open(t, egress.Config{}).Dial(ctx, "tcp", "core.pixgraph.test:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := conn.RemoteAddr().String(); got != listener.Addr().String() {
		t.Errorf("connected to %s", got)
	}
}
