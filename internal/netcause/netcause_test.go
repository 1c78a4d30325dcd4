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

// listen serves connections by talk until the test ends, and returns the address.
func listen(t *testing.T, talk func(net.Conn)) string {
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
			talk(conn)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
	return listener.Addr().String()
}

// send answers with a text after it has read something.
func send(text string) func(net.Conn) {
	return func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, text)
	}
}

// reset ends a connection without the end of the stream.
func reset(conn net.Conn) {
	_, _ = conn.Read(make([]byte, 4096))
	_ = conn.(*net.TCPConn).SetLinger(0)
}

// TestOf makes real failures: a GET of an address, and the body of the answer.
func TestOf(t *testing.T) {
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	old.StartTLS()
	t.Cleanup(old.Close)
	const refused = "127.0.0.1:1"
	limited := &tls.Config{MaxVersion: tls.VersionTLS12}
	tests := []struct {
		name string
		url  string
		tls  *tls.Config
		want error
	}{
		{"SSH", "http://" + listen(t, send("SSH-2.0-c4nary\r\n")), nil, netcause.ErrNoHTTP},
		{"a bad header", "http://" + listen(t, send("HTTP/1.1 200 OK\r\nc4nary\r\n\r\n")), nil, netcause.ErrNoHTTP},
		{"a bad length", "http://" + listen(t, send("HTTP/1.1 200 OK\r\nContent-Length: c4nary\r\n\r\n")), nil, netcause.ErrNoHTTP},
		{"bad chunks", "http://" + listen(t, send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc4nary\r\n")), nil, netcause.ErrNoHTTP},
		{"a bad encoding", "http://" + listen(t, send("HTTP/1.1 200 OK\r\nTransfer-Encoding: c4nary\r\n\r\n")), nil, netcause.ErrNoHTTP},
		{"no answer", "http://" + listen(t, send("")), nil, netcause.ErrCutShort},
		{"a body cut short", "http://" + listen(t, send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nc4nary")), nil, netcause.ErrCutShort},
		{"reset", "http://" + listen(t, reset), nil, syscall.ECONNRESET},
		{"refused", "http://" + refused, nil, syscall.ECONNREFUSED},
		{"SSH under https", "https://" + listen(t, send("SSH-2.0-c4nary\r\n")), nil, netcause.ErrNoTLS},
		{"HTTP under https", "https://" + listen(t, send("HTTP/1.1 400 c4nary\r\n\r\n")), nil, netcause.ErrNoTLS},
		{"an unknown authority", untrusted.URL, nil, netcause.ErrCertificate},
		{"an alert", old.URL, limited, netcause.ErrTLSAlert},
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

// TestOfErrors are causes that cannot be made on a loopback address, or only by waiting.
func TestOfErrors(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want error
	}{
		{"no such host", &net.OpError{Op: "dial", Err: &net.DNSError{Err: "c4nary", Name: "c4nary"}}, netcause.ErrNoHost},
		{"name servers that do not answer", &net.DNSError{Err: "c4nary", IsTimeout: true}, netcause.ErrNoHost},
		{"the context's end", fmt.Errorf("c4nary: %w", context.Canceled), context.Canceled},
		{"the context's deadline", fmt.Errorf("c4nary: %w", context.DeadlineExceeded), context.DeadlineExceeded},
		{"a deadline of net/http", late{}, context.DeadlineExceeded},
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

// late is a net.Error such as net/http's "TLS handshake timeout".
type late struct{}

func (late) Error() string   { return "c4nary" }
func (late) Timeout() bool   { return true }
func (late) Temporary() bool { return true }

func check(t *testing.T, err, want error) {
	t.Helper()
	got := netcause.Of(err)
	if got != want { //nolint:errorlint // the very cause, with nothing around it
		t.Errorf("Of(%v) = %v, want %v", err, got, want)
	}
	if strings.Contains(got.Error(), "c4nary") || strings.Contains(got.Error(), "127.0.0.1") {
		t.Errorf("the cause shows what the other side sent: %v", got)
	}
}
