package listener

import (
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSendBuffer: the kernel holds at most 256 KiB of a response that a client does not read.
func TestSendBuffer(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "unix:" + filepath.Join(socketDir(t), "socket")} {
		listener := open(t, address, 0)
		if size := acceptedOption(t, listener, unix.SOL_SOCKET, unix.SO_SNDBUF); size != 2*sendBuffer || size > 256<<10 {
			t.Errorf("%s: %d bytes", address, size)
		}
	}
}

// TestLeftBeforeRead: of the requests whose client has closed its connection, or its own direction, before they are
// read, only some are served at a time, until they wait. Others are served.
func TestLeftBeforeRead(t *testing.T) {
	listener := open(t, "127.0.0.1:0", 0)
	const clients = 3 * servedLeft
	served, closed, release := make(chan bool, 2*clients), make(chan bool, 2*clients), make(chan bool)
	server := http.Server{
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			served <- true
			<-release
		}),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				closed <- true
			}
		},
	}
	send := func() net.Conn {
		client, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		if _, err = io.WriteString(client, "GET / HTTP/1.1\r\nHost: gateway\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		return client
	}
	for range clients {
		_ = send().(*net.TCPConn).CloseWrite()
	}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	for range servedLeft {
		<-served
	}
	for range clients - servedLeft {
		<-closed
	}
	send()
	<-served
	for range servedLeft { // those that wait for their response hold no place
		listener.(tcpListener).left <- struct{}{}
	}
	for range servedLeft {
		<-listener.(tcpListener).left
	}
	_ = send().(*net.TCPConn).CloseWrite()
	<-served
	close(release)
}
