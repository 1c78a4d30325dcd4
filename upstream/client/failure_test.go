package client_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
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
	const part = "HTTP/1.1 200 OK\r\nX-Canary: canary\r\nContent-Length: 1000000\r\n\r\n{"
	const hangs, drips, closes, resets = "hangs", "drips", "closes", "resets"
	tests := []struct {
		name   string
		sent   string
		then   string
		want   upstream.Kind
		status int
	}{
		{"hangs before the header", "", hangs, upstream.KindTimeout, 0},
		{"hangs in the body", part, hangs, upstream.KindTimeout, 0},
		{"drips the body", part, drips, upstream.KindTimeout, 0},
		{"drips the body of an error", "HTTP/1.1 503 canary\r\nContent-Length: 1000000\r\n\r\n", drips, upstream.KindServerError, 503},
		{"switches protocols and hangs", "HTTP/1.1 101 canary\r\nConnection: Upgrade\r\nUpgrade: canary\r\n\r\n", hangs, upstream.KindInvalidResponse, 101},
		{"closes without a response", "", closes, upstream.KindUnavailable, 0},
		{"closes in the body", part, closes, upstream.KindUnavailable, 0},
		{"resets without a response", "", resets, upstream.KindUnavailable, 0},
		{"is not HTTP", "canary 220 ESMTP\r\n\r\n", closes, upstream.KindUnavailable, 0},
		{"has a bad status", "HTTP/1.1 canary\r\n\r\n", closes, upstream.KindUnavailable, 0},
		{"has a header over the limit", "HTTP/1.1 200 OK\r\nX-Canary: " + strings.Repeat("canary", 20_000) + "\r\n\r\n", closes, upstream.KindUnavailable, 0},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			then := map[string]func(*rawConn){hangs: (*rawConn).drain, drips: (*rawConn).drip, closes: func(*rawConn) {}, resets: (*rawConn).reset}
			server := serveBytes(t, tt.sent, then[tt.then])
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
	synctest.Test(t, func(t *testing.T) {
		refused := listen(t)
		_ = refused.Close()
		plain := serve(t, respondWith("{}"))
		foreign := &httptest.Server{Listener: listen(t), Config: &http.Server{Handler: respondWith("{}"), ErrorLog: log.New(io.Discard, "", 0)}}
		foreign.StartTLS()
		t.Cleanup(foreign.Close)
		for _, tt := range []struct {
			name, url string
			want      upstream.Kind
		}{
			{"refused", "http://" + refused.Addr().String(), upstream.KindUnavailable},
			{"no such host", "http://canary.invalid", upstream.KindUnavailable},
			{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), upstream.KindUnavailable},
			{"TLS of an unknown authority", foreign.URL, upstream.KindUnavailable},
			// The server of net/http sends 400.
			{"plain text to a TLS server", strings.Replace(foreign.URL, "https:", "http:", 1), upstream.KindInvalidResponse},
		} {
			_, err := newClient(t, tt.url).Notification(context.Background(), "id-canary")
			if upstream.KindOf(err) != tt.want {
				t.Errorf("%s: error = %v, want kind %v", tt.name, err, tt.want)
			}
			wantNoSecrets(t, err, tt.url)
		}
	})
}

// TestContextTakesPrecedence: the end of the context determines the kind, not the error that it caused, in each phase
// of the exchange.
func TestContextTakesPrecedence(t *testing.T) {
	const part = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"
	for _, tt := range []struct {
		name, sent string
		cancels    bool // or the deadline of the caller passes
		want       upstream.Kind
	}{
		{"canceled before the header", "", true, upstream.KindCanceled},
		{"canceled in the body", part, true, upstream.KindCanceled},
		{"the caller's deadline before the header", "", false, upstream.KindTimeout},
		{"the caller's deadline in the body", part, false, upstream.KindTimeout},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), shortTimeout)
			defer cancel()
			server := serveBytes(t, tt.sent, func(w *rawConn) {
				if tt.cancels {
					synctest.Wait() // until the client has read what was sent
					cancel()
				}
				w.drain()
			})
			_, err := newClient(t, server.url).Notification(ctx, "id-canary")
			if upstream.KindOf(err) != tt.want {
				t.Errorf("error = %v", err)
			}
			wantNoSecrets(t, err, server.url)
		})
	}
	bubble(t, "canceled before the call", func(t *testing.T) {
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
func TestInvalidToken(t *testing.T) { ofBoth(t, "calls", testInvalidToken) }

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
