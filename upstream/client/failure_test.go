package client_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// shortTimeout is the timeout of tests whose server never responds, which run in a bubble.
const shortTimeout = 4 * time.Second

// withShortTimeout sets shortTimeout.
func withShortTimeout(c *config) { c.Timeout = shortTimeout }

// TestFailedExchanges: the kind of the error of each kind of failure. Tests of package http1 have every failure.
func TestFailedExchanges(t *testing.T) {
	hang := func(sent string) func(*rawConn) {
		return func(w *rawConn) {
			if _, err := w.request(); err == nil {
				_, _ = w.Write([]byte(sent))
				w.drain()
			}
		}
	}
	drip := func(sent string) func(*rawConn) {
		return func(w *rawConn) {
			if _, err := w.request(); err != nil {
				return
			}
			_, _ = w.Write([]byte(sent))
			pace := time.NewTicker(time.Millisecond) // slow enough to stay below the limit of the body
			defer pace.Stop()
			for {
				select {
				case <-pace.C:
					if _, err := w.Write([]byte(" ")); err != nil {
						return
					}
				case <-w.closed:
					return
				}
			}
		}
	}
	send := func(sent string) func(*rawConn) {
		return func(w *rawConn) {
			if _, err := w.request(); err == nil {
				_, _ = w.Write([]byte(sent))
			}
		}
	}
	const part = "HTTP/1.1 200 OK\r\nX-Canary: canary\r\nContent-Length: 1000000\r\n\r\n{"
	tests := []struct {
		name   string
		talk   func(*rawConn)
		want   upstream.Kind
		status int
	}{
		{"hangs before the header", hang(""), upstream.KindTimeout, 0},
		{"hangs in the body", hang(part), upstream.KindTimeout, 0},
		{"drips the body", drip(part), upstream.KindTimeout, 0},
		{"drips the body of an error", drip("HTTP/1.1 503 canary\r\nContent-Length: 1000000\r\n\r\n"), upstream.KindServerError, 503},
		{"switches protocols and hangs", hang("HTTP/1.1 101 canary\r\nConnection: Upgrade\r\nUpgrade: canary\r\n\r\n"), upstream.KindInvalidResponse, 101},
		{"closes without a response", send(""), upstream.KindUnavailable, 0},
		{"closes in the body", send(part), upstream.KindUnavailable, 0},
		{"resets without a response", func(w *rawConn) { _, _ = w.request(); w.reset() }, upstream.KindUnavailable, 0},
		{"is not HTTP", send("canary 220 ESMTP\r\n\r\n"), upstream.KindUnavailable, 0},
		{"has a bad status", send("HTTP/1.1 canary\r\n\r\n"), upstream.KindUnavailable, 0},
		{"has a header over the limit", send("HTTP/1.1 200 OK\r\nX-Canary: " + strings.Repeat("canary", 20_000) + "\r\n\r\n"), upstream.KindUnavailable, 0},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			server := serveRaw(t, tt.talk)
			c := newClient(t, server.url+"/canary", withShortTimeout)
			_, err := c.Notification(context.Background(), "id-canary")
			var failed *upstream.Error
			if !errors.As(err, &failed) || failed.Kind != tt.want || failed.Status != tt.status || failed.Service != upstream.Dispatcher {
				t.Errorf("error = %v, want kind %v and status %d", err, tt.want, tt.status)
			}
			if got := server.requests.Load(); got != 1 {
				t.Errorf("%d requests, want 1", got)
			}
			wantNoSecrets(t, err, server.url)
		})
	}
}

func TestConnectionFailures(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + listener.Addr().String()
	_ = listener.Close()
	plain := serve(t, respondWith("{}"))
	foreign := httptest.NewUnstartedServer(respondWith("{}"))
	foreign.Config.ErrorLog = log.New(io.Discard, "", 0)
	foreign.StartTLS()
	t.Cleanup(foreign.Close)
	tests := []struct{ name, url string }{
		{"refused", refused},
		{"no such host", "http://canary.invalid"},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1)},
		{"TLS of an unknown authority", foreign.URL},
		{"plain text to a TLS server", strings.Replace(foreign.URL, "https:", "http:", 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newClient(t, tt.url).Notification(context.Background(), "id-canary")
			want := []upstream.Kind{upstream.KindUnavailable}
			switch tt.name {
			case "no such host":
				want = append(want, upstream.KindTimeout) // if no name server responds
			case "plain text to a TLS server":
				want = []upstream.Kind{upstream.KindInvalidResponse} // the server of net/http sends 400
			}
			if !slices.Contains(want, upstream.KindOf(err)) {
				t.Errorf("error = %v, want kind %v", err, want)
			}
			wantNoSecrets(t, err, tt.url)
		})
	}
}

// TestContextTakesPrecedence: the end of the context determines the kind, not the error that it caused, in each phase
// of the exchange.
func TestContextTakesPrecedence(t *testing.T) {
	phases := []struct{ name, sent string }{
		{"before the header", ""},
		{"in the body", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"},
	}
	for _, phase := range phases {
		t.Run("canceled "+phase.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			server := serveRaw(t, func(w *rawConn) {
				if _, err := w.request(); err == nil {
					_, _ = w.Write([]byte(phase.sent))
					cancel()
					w.drain()
				}
			})
			_, err := newClient(t, server.url).Notification(ctx, "id-canary")
			if upstream.KindOf(err) != upstream.KindCanceled {
				t.Errorf("error = %v", err)
			}
			wantNoSecrets(t, err, server.url)
		})
		bubble(t, "the caller's deadline "+phase.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), shortTimeout)
			defer cancel()
			server := serveRaw(t, func(w *rawConn) {
				if _, err := w.request(); err == nil {
					_, _ = w.Write([]byte(phase.sent))
					w.drain()
				}
			})
			_, err := newClient(t, server.url).Notification(ctx, "id-canary")
			if upstream.KindOf(err) != upstream.KindTimeout {
				t.Errorf("error = %v", err)
			}
			wantNoSecrets(t, err, server.url)
		})
	}
	t.Run("canceled before the call", func(t *testing.T) {
		handler, seen := recordRequests(emptyPage)
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errors.New("canary"))
		server := serve(t, handler)
		_, err := newClient(t, server.URL).Deposits(ctx, nil, client.PageRequest{})
		if upstream.KindOf(err) != upstream.KindCanceled || len(seen) != 0 {
			t.Errorf("error = %v, %d calls", err, len(seen))
		}
		wantNoSecrets(t, err, server.URL)
	})
}

// TestInvalidToken: a token with a line break is not sent, and is not in the error.
func TestInvalidToken(t *testing.T) { ofBoth(t, testInvalidToken) }

func testInvalidToken(t *testing.T, newClient newClientFunc) {
	handler, seen := recordRequests(emptyPage)
	server := serve(t, handler)
	c := newClient(t, server.URL, func(c *config) {
		c.Token = func(context.Context) string { return "canary\r\nX-Injected: canary" }
	})
	_, err := c.Deposits(context.Background(), nil, client.PageRequest{})
	if err == nil || len(seen) != 0 {
		t.Errorf("error = %v, %d calls", err, len(seen))
	}
	wantNoSecrets(t, err, server.URL)
}
