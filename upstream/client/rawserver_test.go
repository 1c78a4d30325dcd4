package client_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// wireServer is a server whose bytes the test writes.
type wireServer struct {
	url      string
	requests atomic.Int32 // whole request headers read
}

// wire is one connection to a wireServer.
type wire struct {
	*net.TCPConn
	server *wireServer
	reader *bufio.Reader
	closed <-chan struct{} // when the test is over
}

// serveWire starts a server that gives each connection to talk, and closes it when talk returns. It lasts as long as
// the test.
func serveWire(t *testing.T, talk func(*wire)) *wireServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &wireServer{url: "http://" + listener.Addr().String()}
	closed := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				w := &wire{conn.(*net.TCPConn), server, bufio.NewReader(conn), closed}
				over := make(chan struct{})
				group.Go(func() {
					select {
					case <-closed:
					case <-over:
					}
					_ = w.Close()
				})
				talk(w)
				close(over)
			})
		}
	})
	t.Cleanup(func() {
		close(closed)
		_ = listener.Close()
		group.Wait()
	})
	return server
}

// serveBytes starts a server that sends the same bytes after each request, and then closes the connection.
func serveBytes(t *testing.T, answer string) *wireServer {
	t.Helper()
	return serveWire(t, func(w *wire) {
		if _, err := w.request(); err == nil {
			_, _ = w.Write([]byte(answer))
		}
	})
}

// request reads the header of one request, to the byte.
func (w *wire) request() (string, error) {
	var header strings.Builder
	for !strings.HasSuffix(header.String(), "\r\n\r\n") {
		b, err := w.reader.ReadByte()
		if err != nil {
			return header.String(), err
		}
		header.WriteByte(b)
	}
	w.server.requests.Add(1)
	return header.String(), nil
}

// reset ends the connection so that the client's next read or write fails.
func (w *wire) reset() {
	_ = w.SetLinger(0)
	_ = w.Close()
}

// drain reads what the client still sends, until it goes away or the test is over.
func (w *wire) drain() { _, _ = w.reader.WriteTo(discard{}) }

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// ok is a whole 200 answer.
func ok(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// wantClean asserts that neither err nor any cause of it holds a secret, however it is printed.
func wantClean(t *testing.T, err error, url string) {
	t.Helper()
	address := strings.TrimPrefix(url, "http://")
	_, port, _ := net.SplitHostPort(address)
	secrets := []string{token, "canary", "http://", "https://", address, "127.0.0.1"}
	if port != "" {
		secrets = append(secrets, ":"+port)
	}
	var walk func(error)
	walk = func(err error) {
		if err == nil {
			return
		}
		for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err), fmt.Sprintf("%q", err)} {
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("error %s holds %s", text, secret)
				}
			}
		}
		walk(errors.Unwrap(err))
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			for _, err := range several.Unwrap() {
				walk(err)
			}
		}
	}
	walk(err)
}
