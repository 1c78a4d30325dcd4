package fleet

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// stalled is a connection to a server that stalls after HELLO.
func stalled(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		for lines := bufio.NewReader(server); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			if strings.HasPrefix(line, "HELLO") {
				go func() { _, _ = io.WriteString(server, "%1\r\n+proto\r\n:3\r\n") }()
			}
		}
	}()
	return client, nil
}

// TestWaits: no request waits for a stalled server for longer than the documented 5 ms, and a caller whose searches are
// not answered waits for none.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, err := Open(Config{
			URL: "redis://127.0.0.1:6379", Documents: 1 << 10, Dial: stalled, TLS: func() *tls.Config { return nil }, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.link.open(); err != nil {
			t.Fatal(err)
		}
		f.state.away.Store(false)
		waited := 0
		took := func(what string, most time.Duration, call func()) {
			began := time.Now()
			call()
			if d := time.Since(began); d > most {
				t.Errorf("%s took %v", what, d)
			} else if d > 0 {
				waited++
			}
		}
		for i := range byte(100) {
			took("a search", 5*time.Millisecond, func() { f.Document("caller", [32]byte{i}) })
			took("a hint", 0, func() { f.Hint(Hint{i}) })
			took("a registration", 0, func() { f.Register("caller", [32]byte{i}, "{a}") })
		}
		if waited < 10 || waited >= maxReads {
			t.Errorf("%d searches waited", waited)
		}
		took("a search of another caller", 5*time.Millisecond, func() { f.Document("another", [32]byte{}) })
		if waited < 11 {
			t.Error("the searches of one caller stop those of others")
		}
	})
}
