// Package replica runs a gateway in the process of a test as its binary does: with flags, addresses, a log and an end.
// All connections are in memory, and a replica runs within a bubble of testing/synctest, which owns its clock.
// It does not start the binary: internal/process does.
//
// It is for tests only. Read first: Start.
package replica

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/gateway"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
)

// Replica is a running gateway.
type Replica struct {
	gatewaytest.Client // of the public address, without a token
	Admin              gatewaytest.Client
	Network            *memnet.Network
	Stdout, Stderr     *gatewaytest.Log

	stop  context.CancelFunc
	ended chan struct{}
	code  int // after ended
	known bool
}

// Start starts a gateway on free addresses with additional flags, and returns when it serves. The network of the
// process is a new one if it has none. The gateway ends with the test; its exit code must be 0, unless Wait returns it.
func Start(t testing.TB, p gateway.Process, flags ...string) *Replica {
	t.Helper()
	network, given := p.Sockets.(*memnet.Network)
	if !given {
		network = &memnet.Network{}
	}
	ctx, stop := context.WithCancel(t.Context())
	r := &Replica{Network: network, Stdout: &gatewaytest.Log{}, Stderr: &gatewaytest.Log{}, stop: stop, ended: make(chan struct{})}
	begins := &beginning{Log: r.Stderr, at: make(chan serving, 1)}
	p.Args, p.Environ = flags, append(p.Environ, "PIXGRAPH_LISTEN=127.0.0.1:0", "PIXGRAPH_ADMIN_LISTEN=127.0.0.1:0")
	p.Sockets, p.Stdout, p.Stderr = network, r.Stdout, begins
	client := network.Client(t)
	go func() {
		defer close(r.ended)
		r.code = gateway.Run(ctx, p)
	}()
	t.Cleanup(func() {
		r.Stop()
		if <-r.ended; r.code != 0 && !r.known && !t.Failed() {
			t.Errorf("the gateway ended with exit code %d: %s", r.code, r.Stderr)
		}
	})
	select {
	case at := <-begins.at:
		r.Client = gatewaytest.Client{T: t, URL: at.url(), HTTP: client}
		r.Admin = gatewaytest.Client{T: t, URL: "http://" + at.Admin, HTTP: client}
	case <-r.ended:
		t.Fatalf("the gateway did not start: %s", r.Stderr)
	}
	synctest.Wait() // a sandbox prints its commands after that line
	return r
}

// Stop stops the gateway, as a signal does.
func (r *Replica) Stop() { r.stop() }

// Wait waits until the gateway has ended, and returns its exit code.
func (r *Replica) Wait() int {
	<-r.ended
	r.known = true
	return r.code
}

// Address is the host and the port of the public address.
func (r *Replica) Address() string {
	_, address, _ := strings.Cut(r.URL, "://")
	return address
}

// Request is a request to the public address, with a body of JSON and without a token.
func (r *Replica) Request(method, target, body string) *http.Request {
	r.T.Helper()
	req, err := http.NewRequestWithContext(context.WithoutCancel(r.T.Context()), method, r.URL+target, strings.NewReader(body))
	if err != nil {
		r.T.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return req
}

// serving is the line of the log that reports the addresses.
type serving struct {
	Msg, Address, Admin string
	TLS                 bool
}

func (s serving) url() string {
	if s.TLS {
		return "https://" + s.Address
	}
	return "http://" + s.Address
}

// beginning is a log that sends the line with the addresses to a channel.
type beginning struct {
	*gatewaytest.Log
	at chan serving
}

// Write implements io.Writer. Each call has one line.
func (b *beginning) Write(line []byte) (int, error) {
	var s serving
	if json.Unmarshal(line, &s) == nil && s.Msg == "serving" {
		b.at <- s
	}
	return b.Log.Write(line)
}

// Sandbox is a sandbox in a network in which replicas can run.
type Sandbox struct {
	*sandbox.Sandbox
	Network *memnet.Network
}

// NewSandbox starts a sandbox with 50 records of each kind, which do not change, in a network of its own. It ends with
// the test.
func NewSandbox(t testing.TB) *Sandbox {
	t.Helper()
	network := &memnet.Network{}
	return &Sandbox{gatewaytest.StartSandbox(t, sandbox.Config{Records: 50, MoveEvery: -1, Listen: network.Listen}), network}
}

// Start starts a gateway over the sandbox with additional flags, as Start does.
func (s *Sandbox) Start(t testing.TB, flags ...string) *Replica {
	t.Helper()
	return s.StartAs(t, gateway.Process{}, flags...)
}

// StartAs is Start with the environment of a process.
func (s *Sandbox) StartAs(t testing.TB, p gateway.Process, flags ...string) *Replica {
	t.Helper()
	p.Sockets = s.Network
	return Start(t, p, gatewaytest.Flags(s.Sandbox, flags...)...)
}
