package gateway

import (
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"pixgraph/gateway/settings"
)

// TestSendBuffer: the kernel holds at most 256 KiB of a response that a client does not read, on both addresses.
func TestSendBuffer(t *testing.T) {
	directory := t.TempDir()
	for _, tt := range []struct{ name, public, admin string }{
		{"TCP", "127.0.0.1:0", "127.0.0.1:0"},
		{"unix sockets", "unix:" + filepath.Join(directory, "public"), "unix:" + filepath.Join(directory, "admin")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			public, admin, err := listen(t.Context(), settings.Settings{Listen: tt.public, AdminListen: tt.admin})
			if err != nil {
				t.Fatal(err)
			}
			for _, listener := range []net.Listener{public, admin} {
				defer listener.Close()
				if size := acceptedOption(t, listener, unix.SOL_SOCKET, unix.SO_SNDBUF); size != 2*sendBuffer || size > 256<<10 {
					t.Errorf("%d bytes", size)
				}
			}
		})
	}
}

// TestLeftBeforeRead: of the requests whose client has closed its connection, or its own direction, before they are
// read, only some are served at a time. Others are served.
func TestLeftBeforeRead(t *testing.T) {
	public, admin, err := listen(t.Context(), settings.Settings{Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
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
		client, err := net.Dial("tcp", public.Addr().String())
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
	go func() { _ = server.Serve(public) }()
	defer server.Close()
	for range servedLeft {
		<-served
	}
	for range clients - servedLeft {
		<-closed
	}
	send()
	<-served
	close(release)
	for range servedLeft { // they have their response
		<-closed
	}
	_ = send().(*net.TCPConn).CloseWrite()
	<-served
}
