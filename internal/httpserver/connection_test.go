package httpserver_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/certs"
	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/filewatch"
	"pixgraph/internal/httpserver"
	"pixgraph/internal/memnet"
)

// TestUnverifiedClients: a connection ends after its next response if its client could not open it again, because its
// certificate has expired or is not of the new CA file.
func TestUnverifiedClients(t *testing.T) {
	for name, replaced := range map[string]bool{"expired": false, "a new CA file": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testUnverifiedClient(t, replaced) })
		})
	}
}

func testUnverifiedClient(t *testing.T, replaced bool) {
	ca, dir := certstest.New(t, "ca"), t.TempDir()
	cert, key := ca.Issue(t, 24*time.Hour).Write(t, dir)
	files, err := certs.Open(certs.Config{
		Cert: certs.File{Path: cert}, Key: certs.File{Path: key},
		CA: certs.File{Path: certstest.Write(t, dir, "ca.crt", ca.PEM)}, Log: slog.New(slog.DiscardHandler),
	})
	must(t, err)
	defer files.Close()
	var network memnet.Network
	listener, err := network.Listen()
	must(t, err)
	server := httpserver.New(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	ended := make(chan error, 1)
	go func() { ended <- httpserver.Serve(server, listener, files) }()
	defer func() {
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()

	client := ca.Issue(t, time.Hour+time.Minute).TLS(t) // from an hour ago
	ours, err := network.DialContext(t.Context(), "tcp", listener.Addr().String())
	must(t, err)
	conn := tls.Client(ours, &tls.Config{ServerName: "localhost", RootCAs: ca.Pool(), Certificates: []tls.Certificate{client}})
	defer conn.Close()
	responses := bufio.NewReader(conn)
	ends := func() bool {
		t.Helper()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(responses, nil)
		must(t, err)
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusNotFound {
			t.Errorf("%d, %v", resp.StatusCode, err)
		}
		return resp.Close
	}
	if ends() {
		t.Error("the connection of a valid client ends")
	}
	if replaced {
		certstest.Write(t, dir, "ca.crt", certstest.New(t, "next").PEM)
	} else {
		time.Sleep(time.Minute)
	}
	time.Sleep(2 * filewatch.Every)
	if !ends() {
		t.Error("the connection of a client that could not open it again stays open")
	}
}
