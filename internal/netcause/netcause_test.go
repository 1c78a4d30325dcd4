package netcause_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/memnet"
	"pixgraph/internal/netcause"
)

// network has the servers of a test.
type network struct {
	*testing.T
	memnet.Network
}

// listen serves connections with handle until the test ends, and returns the address.
func (n *network) listen(handle func(net.Conn)) string {
	n.Helper()
	listener, err := n.Listen()
	if err != nil {
		n.Fatal(err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			handle(conn)
			_ = conn.Close()
		}
	}()
	n.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

// send reads once and responds with a text.
func send(text string) func(net.Conn) {
	return func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, text)
	}
}

// reset makes the close of a connection reset it.
func reset(conn net.Conn) {
	_, _ = conn.Read(make([]byte, 4096))
	_ = conn.(*memnet.Conn).SetLinger(0)
}

// secure starts a server with TLS, whose certificate no client trusts, and returns its URL.
func (n *network) secure(config *tls.Config) string {
	n.Helper()
	return n.Serve(n, http.NotFoundHandler(), func(s *http.Server) { s.TLSConfig, s.ErrorLog = config, log.New(io.Discard, "", 0) })
}

// TestOf causes real failures of a GET or of reading the body of the response.
func TestOf(t *testing.T) { synctest.Test(t, testOf) }

func testOf(t *testing.T) {
	n := &network{T: t}
	ciphers := n.secure(&tls.Config{CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}})
	// With TLS 1.2, the alert ends the handshake.
	demanding := n.secure(&tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, MaxVersion: tls.VersionTLS12})
	closed, err := n.Listen()
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	hello := "\x16\x03\x02\x00\x2a\x02\x00\x00\x26\x03\x02" + strings.Repeat("c4nary..", 4) + "\x00\x00\x2f\x00" // of a server
	tests := []struct {
		name string
		url  string
		tls  *tls.Config
		want error
	}{
		{"SSH", "http://" + n.listen(send("SSH-2.0-c4nary\r\n")), nil, netcause.ErrNoHTTP},
		{"an invalid header", "http://" + n.listen(send("HTTP/1.1 200 OK\r\nc4nary\r\n\r\n")), nil, netcause.ErrNoHTTP},
		{"an invalid length", "http://" + n.listen(send("HTTP/1.1 200 OK\r\nContent-Length: c4nary\r\n\r\n")), nil, netcause.ErrNoHTTP},
		{"invalid chunks", "http://" + n.listen(send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc4nary\r\n")), nil, netcause.ErrNoHTTP},
		{"an invalid encoding", "http://" + n.listen(send("HTTP/1.1 200 OK\r\nTransfer-Encoding: c4nary\r\n\r\n")), nil, netcause.ErrNoHTTP},
		{"no response", "http://" + n.listen(send("")), nil, netcause.ErrTruncated},
		{"a truncated body", "http://" + n.listen(send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nc4nary")), nil, netcause.ErrTruncated},
		{"reset", "http://" + n.listen(reset), nil, syscall.ECONNRESET},
		{"refused", "http://" + closed.Addr().String(), nil, syscall.ECONNREFUSED},
		{"SSH under https", "https://" + n.listen(send("SSH-2.0-c4nary\r\n")), nil, netcause.ErrNoTLS},
		{"HTTP under https", "https://" + n.listen(send("HTTP/1.1 400 c4nary\r\n\r\n")), nil, netcause.ErrNoTLS},
		{"TLS 1.1", "https://" + n.listen(send(hello)), nil, netcause.ErrTLSVersion},
		{"an unknown authority", n.secure(&tls.Config{}), nil, netcause.ErrCertificate},
		{"an alert about the version", n.secure(&tls.Config{MinVersion: tls.VersionTLS13}), &tls.Config{MaxVersion: tls.VersionTLS12}, netcause.ErrTLSVersion},
		{"another alert", ciphers, &tls.Config{
			MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384},
		}, netcause.ErrTLSAlert},
		{"another client certificate", demanding, &tls.Config{
			InsecureSkipVerify: true, Certificates: []tls.Certificate{certstest.New(t, "other").Issue(t, time.Hour).TLS(t)},
		}, netcause.ErrClientCertificate},
		{"no common protocol", n.secure(&tls.Config{NextProtos: []string{"c4nary"}}), &tls.Config{NextProtos: []string{"http/1.1"}}, netcause.ErrHTTP2Only},
	}
	for _, tt := range tests {
		transport := &http.Transport{TLSClientConfig: tt.tls, DisableKeepAlives: true, DialContext: n.DialContext}
		resp, err := (&http.Client{Transport: transport}).Get(tt.url)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
		if err == nil {
			t.Fatalf("%s: no error", tt.name)
		}
		check(t, tt.name, err, tt.want)
	}
}

// TestOfErrors has the errors of the kernel, of DNS and of other packages.
func TestOfErrors(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want error
	}{
		{"refused", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, syscall.ECONNREFUSED},
		{"reset", &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, syscall.ECONNRESET},
		{"a deadline of a connection", &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, context.DeadlineExceeded},
		{"no such host", &net.OpError{Op: "dial", Err: &net.DNSError{Err: "c4nary", Name: "c4nary"}}, netcause.ErrNoHost},
		{"name servers that do not respond", &net.DNSError{Err: "c4nary", IsTimeout: true}, netcause.ErrNoHost},
		{"a cancelled context", fmt.Errorf("c4nary: %w", context.Canceled), context.Canceled},
		{"the context's deadline", fmt.Errorf("c4nary: %w", context.DeadlineExceeded), context.DeadlineExceeded},
		{"a deadline of net/http", timeoutError{}, context.DeadlineExceeded},
		{"no proxy", &net.OpError{Op: netcause.ProxyDial, Err: &net.DNSError{Err: "c4nary"}}, netcause.ErrNoProxy},
		{"a proxy that refuses", fmt.Errorf("c4nary: %w", netcause.ErrProxyRefused), netcause.ErrProxyRefused},
		{"a proxy that cannot reach the server", fmt.Errorf("c4nary: %w", netcause.ErrProxyGateway), netcause.ErrProxyGateway},
		{"renegotiation", &net.OpError{Op: "local error", Err: errors.New("c4nary")}, netcause.ErrTLS},
		{"a proxy that demands credentials", fmt.Errorf("c4nary: %w", netcause.ErrProxyCredentials), netcause.ErrProxyCredentials},
		{"a proxy without credentials", fmt.Errorf("c4nary: %w", netcause.ErrNoProxyCredentials), netcause.ErrNoProxyCredentials},
		{"anything else", errors.New("c4nary"), netcause.ErrNoHTTP},
	}
	for _, tt := range tests {
		check(t, tt.name, tt.err, tt.want)
	}
}

// timeoutError is a net.Error such as net/http's "TLS handshake timeout".
type timeoutError struct{}

func (timeoutError) Error() string   { return "c4nary" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

func check(t *testing.T, name string, err, want error) {
	t.Helper()
	got := netcause.Of(err)
	if got != want { //nolint:errorlint // the cause itself, not wrapped
		t.Errorf("%s: Of(%v) = %v, want %v", name, err, got, want)
	}
	if strings.Contains(got.Error(), "c4nary") || strings.Contains(got.Error(), "127.0.0.1") {
		t.Errorf("%s: the cause contains data of the other side: %v", name, got)
	}
}

// TestLasts: a retry is in vain if somebody must change something first.
func TestLasts(t *testing.T) {
	for err, want := range map[error]bool{
		netcause.ErrCertificate: true, netcause.ErrClientCertificate: true, netcause.ErrHTTP2Only: true, netcause.ErrProxyCredentials: true,
		netcause.ErrNoProxyCredentials: true,
		netcause.ErrNoHost:             false, netcause.ErrNoProxy: false,
		netcause.ErrProxyRefused: false, netcause.ErrProxyGateway: false, netcause.ErrTruncated: false,
		syscall.ECONNREFUSED: false,
	} {
		if got := netcause.Lasts(fmt.Errorf("wrapped: %w", err)); got != want {
			t.Errorf("%v: %t", err, got)
		}
	}
}
