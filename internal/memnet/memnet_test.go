package memnet_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/memnet"
)

// ends returns both ends of a connection.
func ends(t *testing.T) (client, server *memnet.Conn) {
	t.Helper()
	client, server = memnet.Pipe(&net.TCPAddr{Port: 1}, &net.TCPAddr{Port: 2})
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	return client, server
}

// TestSlowReader: a writer waits while 64 KiB are not read, until its deadline.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := ends(t)
		began := time.Now()
		_ = server.SetWriteDeadline(began.Add(time.Minute))
		n, err := server.Write(make([]byte, 100<<10))
		if n != 64<<10 || !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("%d bytes, %v after %s", n, err, time.Since(began))
		}
		_ = server.SetDeadline(time.Time{})
		written := make(chan error)
		go func() { _, err := server.Write(make([]byte, 100<<10)); written <- err }()
		if _, err := io.ReadFull(client, make([]byte, 164<<10)); err != nil || <-written != nil {
			t.Error(err)
		}
	})
}

// TestEnds: what an end reads and writes after the other one has ended the connection.
func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		end                     func(*memnet.Conn) error
		text                    string
		read, write             error // of the other end
		stillReads, stillWrites bool  // this end
	}{
		{"close", (*memnet.Conn).Close, "last", nil, syscall.EPIPE, false, false},
		{"half-close", (*memnet.Conn).CloseWrite, "last", nil, nil, true, false},
		{"reset", func(c *memnet.Conn) error { return errors.Join(c.SetLinger(0), c.Close()) }, "last", syscall.ECONNRESET, syscall.ECONNRESET, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client, server := ends(t)
			_, _ = client.Write([]byte("last"))
			if err := tt.end(client); err != nil {
				t.Error(err)
			}
			if text, err := io.ReadAll(server); string(text) != tt.text || !errors.Is(err, tt.read) {
				t.Errorf("read %q, %v", text, err)
			}
			if _, err := server.Write([]byte("x")); !errors.Is(err, tt.write) {
				t.Errorf("write: %v", err)
			}
			if _, err := client.Read(make([]byte, 1)); (err == nil) != tt.stillReads {
				t.Errorf("own read: %v", err)
			}
			if _, err := client.Write([]byte("x")); (err == nil) != tt.stillWrites {
				t.Errorf("own write: %v", err)
			}
		})
	}
}

// TestDeadlines: a read ends at the deadline that was set last, also one that has passed, and continues without one.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := ends(t)
		began := time.Now()
		_ = client.SetReadDeadline(began.Add(time.Second))
		_ = client.SetReadDeadline(began.Add(time.Minute))
		_, err := client.Read(make([]byte, 1))
		if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() || time.Since(began) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		_ = client.SetDeadline(time.Time{})
		reading := make(chan error)
		go func() { _, err := client.Read(make([]byte, 1)); reading <- err }()
		synctest.Wait()
		_ = client.SetReadDeadline(began) // aborts the read
		if err := <-reading; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		_ = client.SetReadDeadline(time.Time{})
		_, _ = server.Write([]byte("x"))
		if n, err := client.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Error(n, err)
		}
	})
}

// TestAddresses: which listener an address leads to, and which addresses can be listened on.
func TestAddresses(t *testing.T) {
	var network memnet.Network
	listening := map[string]net.Listener{}
	for _, address := range []string{"127.0.0.1:80", "127.0.0.2:80", ":81", "localhost:82", "[::1]:80"} {
		l, err := network.ListenOn(address)
		if err != nil {
			t.Fatal(err)
		}
		listening[address] = l
	}
	network.SetName("core.test", "127.0.0.2")
	var resolved, connected string // as the hooks of package net/http/httptrace report them
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		DNSDone:     func(info httptrace.DNSDoneInfo) { resolved = info.Addrs[0].String() },
		ConnectDone: func(_, address string, _ error) { connected = address },
	})
	for _, tt := range []struct{ dialed, listener, resolved, accepted string }{
		{"127.0.0.1:80", "127.0.0.1:80", "", "127.0.0.1:80"},
		{"localhost:80", "127.0.0.1:80", "127.0.0.1", "127.0.0.1:80"},
		{"core.test:80", "127.0.0.2:80", "127.0.0.2", "127.0.0.2:80"},
		{"[::1]:80", "[::1]:80", "", "[::1]:80"},
		{"127.0.0.7:81", ":81", "", "127.0.0.7:81"},
		{"127.0.0.1:82", "localhost:82", "", "127.0.0.1:82"},
	} {
		resolved, connected = "", ""
		if _, err := network.DialContext(ctx, "tcp", tt.dialed); err != nil || resolved != tt.resolved || connected != tt.accepted {
			t.Fatalf("%s: %v; resolved to %q, connected to %q", tt.dialed, err, resolved, connected)
		}
		if conn, err := listening[tt.listener].Accept(); err != nil || conn.LocalAddr().String() != tt.accepted {
			t.Errorf("%s: %v, %v", tt.dialed, conn.LocalAddr(), err)
		}
	}
	if _, err := network.ListenOn("localhost:80"); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("an address in use: %v", err)
	}
	_ = listening["127.0.0.1:80"].Close()
	if _, err := network.ListenOn("127.0.0.1:80"); err != nil {
		t.Errorf("the address of a closed listener: %v", err)
	}
	network.SetName("core.test")
	if _, err := network.DialContext(t.Context(), "tcp", "core.test:80"); err == nil || !strings.Contains(err.Error(), "no such host") {
		t.Errorf("a name without addresses: %v", err)
	}
}

// TestServe: HTTP over connections in memory, with TLS and without.
func TestServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network memnet.Network
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto+" "+r.RemoteAddr) })
		client := network.Client(t)
		client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
		for _, config := range []*tls.Config{nil, {}} {
			url := network.Serve(t, handler, func(s *http.Server) { s.TLSConfig = config })
			resp, err := client.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(resp.Body); err != nil || !strings.HasPrefix(string(body), "HTTP/1.1 127.0.0.1:") || (resp.TLS == nil) != (config == nil) {
				t.Errorf("%s: %s, %v", url, body, err)
			}
			_ = resp.Body.Close()
		}
	})
}

// TestClosedListener: a connection that it has not accepted is reset, and others are refused.
func TestClosedListener(t *testing.T) {
	var network memnet.Network
	l, err := network.Listen()
	if err != nil {
		t.Fatal(err)
	}
	waiting, err := network.DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if _, err := waiting.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a connection that was not accepted: %v", err)
	}
	for _, address := range []string{l.Addr().String(), "127.0.0.1:1"} {
		if _, err := network.DialContext(t.Context(), "tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
