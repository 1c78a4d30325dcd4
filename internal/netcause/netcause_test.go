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
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"pixgraph/internal/netcause"
)

// listen serves connections with handle until the test ends, and returns the address.
func listen(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			handle(conn)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
	return listener.Addr().String()
}

// send reads once and responds with a text.
func send(text string) func(net.Conn) {
	return func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, text)
	}
}

// reset makes the close of a connection send RST instead of FIN.
func reset(conn net.Conn) {
	_, _ = conn.Read(make([]byte, 4096))
	_ = conn.(*net.TCPConn).SetLinger(0)
}

// secure starts a server with TLS, whose certificate no client trusts.
func secure(t *testing.T, config *tls.Config) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = config
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// TestOf causes real failures of a GET or of reading the body of the response.
func TestOf(t *testing.T) {
	untrusted := secure(t, nil)
	old := secure(t, &tls.Config{MinVersion: tls.VersionTLS13})
	ciphers := secure(t, &tls.Config{CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}})
	// With TLS 1.2, the alert ends the handshake.
	demanding := secure(t, &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, MaxVersion: tls.VersionTLS12})
	other := secure(t, nil)
	other.TLS.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		config := other.TLS.Clone()
		config.NextProtos = []string{"c4nary"}
		return config, nil
	}
	const refused = "127.0.0.1:1"
	hello := "\x16\x03\x02\x00\x2a\x02\x00\x00\x26\x03\x02" + strings.Repeat("c4nary..", 4) + "\x00\x00\x2f\x00" // of a server
	limited := &tls.Config{MaxVersion: tls.VersionTLS12}
	tests := []struct {
		name string
		url  string
		tls  *tls.Config
		want error
	}{
		{"SSH", "http://" + listen(t, send("SSH-2.0-c4nary\r\n")), nil, netcause.ErrNoHTTP},
		{"an invalid header", "http://" + listen(t, send("HTTP/1.1 200 OK\r\nc4nary\r\n\r\n")), nil, netcause.ErrNoHTTP},
		{"an invalid length", "http://" + listen(t, send("HTTP/1.1 200 OK\r\nContent-Length: c4nary\r\n\r\n")), nil, netcause.ErrNoHTTP},
		{"invalid chunks", "http://" + listen(t, send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc4nary\r\n")), nil, netcause.ErrNoHTTP},
		{"an invalid encoding", "http://" + listen(t, send("HTTP/1.1 200 OK\r\nTransfer-Encoding: c4nary\r\n\r\n")), nil, netcause.ErrNoHTTP},
		{"no response", "http://" + listen(t, send("")), nil, netcause.ErrTruncated},
		{"a truncated body", "http://" + listen(t, send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nc4nary")), nil, netcause.ErrTruncated},
		{"reset", "http://" + listen(t, reset), nil, syscall.ECONNRESET},
		{"refused", "http://" + refused, nil, syscall.ECONNREFUSED},
		{"SSH under https", "https://" + listen(t, send("SSH-2.0-c4nary\r\n")), nil, netcause.ErrNoTLS},
		{"HTTP under https", "https://" + listen(t, send("HTTP/1.1 400 c4nary\r\n\r\n")), nil, netcause.ErrNoTLS},
		{"TLS 1.1", "https://" + listen(t, send(hello)), nil, netcause.ErrTLSVersion},
		{"an unknown authority", untrusted.URL, nil, netcause.ErrCertificate},
		{"an alert about the version", old.URL, limited, netcause.ErrTLSVersion},
		{"another alert", ciphers.URL, &tls.Config{
			MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384},
		}, netcause.ErrTLSAlert},
		{"another client certificate", demanding.URL, &tls.Config{
			InsecureSkipVerify: true, Certificates: untrusted.TLS.Certificates,
		}, netcause.ErrClientCertificate},
		{"no common protocol", other.URL, &tls.Config{NextProtos: []string{"http/1.1"}}, netcause.ErrHTTP2Only},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			transport := &http.Transport{TLSClientConfig: tt.tls, DisableKeepAlives: true}
			resp, err := (&http.Client{Transport: transport}).Get(tt.url)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			if err == nil {
				t.Fatal("no error")
			}
			check(t, err, tt.want)
		})
	}
}

// TestOfErrors has the causes that cannot be produced on a loopback address, or only by waiting.
func TestOfErrors(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want error
	}{
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
		{"anything else", errors.New("c4nary"), netcause.ErrNoHTTP},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { check(t, tt.err, tt.want) })
	}
	conn, other := net.Pipe()
	defer conn.Close()
	defer other.Close()
	_ = conn.SetReadDeadline(time.Unix(1, 0))
	_, err := conn.Read(make([]byte, 1))
	check(t, err, context.DeadlineExceeded)
}

// timeoutError is a net.Error such as net/http's "TLS handshake timeout".
type timeoutError struct{}

func (timeoutError) Error() string   { return "c4nary" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

func check(t *testing.T, err, want error) {
	t.Helper()
	got := netcause.Of(err)
	if got != want { //nolint:errorlint // the cause itself, not wrapped
		t.Errorf("Of(%v) = %v, want %v", err, got, want)
	}
	if strings.Contains(got.Error(), "c4nary") || strings.Contains(got.Error(), "127.0.0.1") {
		t.Errorf("the cause contains data of the other side: %v", got)
	}
}

// TestLasts: a retry is in vain if somebody must change something first.
func TestLasts(t *testing.T) {
	for err, want := range map[error]bool{
		netcause.ErrCertificate: true, netcause.ErrClientCertificate: true, netcause.ErrHTTP2Only: true, netcause.ErrProxyCredentials: true,
		netcause.ErrNoHost: false, netcause.ErrNoProxy: false, netcause.ErrProxyRefused: false, netcause.ErrProxyGateway: false, netcause.ErrTruncated: false,
		syscall.ECONNREFUSED: false,
	} {
		if got := netcause.Lasts(fmt.Errorf("wrapped: %w", err)); got != want {
			t.Errorf("%v: %t", err, got)
		}
	}
}
