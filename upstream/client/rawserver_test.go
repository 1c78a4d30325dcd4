package client_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/internal/memnet"
)

// rawServer is a server whose responses the test writes byte by byte.
type rawServer struct {
	url      string
	requests atomic.Int32 // complete request headers read
}

// rawConn is one connection to a rawServer.
type rawConn struct {
	*memnet.Conn
	server *rawServer
	reader *bufio.Reader
}

// serveRaw starts a server that passes each connection to talk, and closes it when talk returns. It runs until the end
// of the test.
func serveRaw(t *testing.T, talk func(*rawConn)) *rawServer {
	t.Helper()
	listener := listen(t)
	server := &rawServer{url: "http://" + listener.Addr().String()}
	closed := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				w := &rawConn{conn.(*memnet.Conn), server, bufio.NewReader(conn)}
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

// serveBytes starts a server that sends the same bytes after a request, does something, and closes the connection.
func serveBytes(t *testing.T, response string, then func(*rawConn)) *rawServer {
	t.Helper()
	return serveRaw(t, func(w *rawConn) {
		if _, err := w.request(); err == nil {
			_, _ = w.Write([]byte(response))
			then(w)
		}
	})
}

// request reads the header of one request.
func (w *rawConn) request() (string, error) {
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

// reset closes the connection so that the next read or write of the client fails.
func (w *rawConn) reset() {
	_ = w.SetLinger(0)
	_ = w.Close()
}

// drip sends spaces, slowly enough to stay below the limit of a body, until the connection is closed.
func (w *rawConn) drip() {
	for err := error(nil); err == nil; _, err = w.Write([]byte(" ")) {
		time.Sleep(time.Millisecond)
	}
}

// drain reads and drops what the client sends, until it closes the connection or the test ends.
func (w *rawConn) drain() { _, _ = w.reader.WriteTo(io.Discard) }

// ok returns a complete response with status 200.
func ok(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// wantNoSecrets checks that neither err nor any of its causes contains a secret, in any print format.
func wantNoSecrets(t *testing.T, err error, url string) {
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
					t.Errorf("error %s contains %s", text, secret)
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
