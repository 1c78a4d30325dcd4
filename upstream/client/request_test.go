package client_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

func TestBasePathIsKept(t *testing.T) {
	tests := []struct{ name, base, path string }{
		{"none", "", ""},
		{"slash", "/", ""},
		{"path", "/v1/pix", "/v1/pix"},
		{"path and slash", "/v1/pix/", "/v1/pix"},
		{"escaped slash", "/a%2Fb", "/a%2Fb"},
		{"escaped slash, then slash", "/a%2Fb/", "/a%2Fb"},
		{"escaped slash at the end", "/a%2F", "/a%2F"},
		{"escaped percent", "/100%25", "/100%25"},
		{"escaped space", "/a%20b", "/a%20b"},
		{"not ASCII", "/serviço", "/servi%C3%A7o"},
		{"characters that need no escape", "/a;b=c,d/~e", "/a;b=c,d/~e"},
	}
	for _, tt := range tests {
		ofBoth(t, tt.name, func(t *testing.T, newClient newClientFunc) {
			handler, seen := recordRequests("")
			c := newClient(t, serve(t, handler).URL+tt.base)
			_, _ = c.Deposits(context.Background(), &upstream.DepositFilter{Status: []upstream.DepositStatus{"PAID"}}, client.PageRequest{})
			_, _ = c.Notification(context.Background(), "a/b%")
			for _, want := range []string{tt.path + "/deposit?status=PAID", tt.path + "/request/a%2Fb%25"} {
				if got := <-seen; got != want {
					t.Errorf("sent %s, want %s", got, want)
				}
			}
		})
	}
}

// TestRequestBytes: a request has these headers and no others, and no body.
func TestRequestBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := make(chan string, 10)
		server := serveRaw(t, func(w *rawConn) {
			for {
				request, err := w.request()
				if err != nil {
					close(requests)
					return
				}
				requests <- request
				_, _ = w.Write([]byte(ok(emptyPage)))
			}
		})
		c := newClient(t, server.url+"/v1", func(c *config) {
			c.Header = func(context.Context) client.Header {
				return client.Header{RequestID: "req-1", TraceParent: "00-aa-bb-01"}
			}
		})
		for range 3 {
			must(t, listDeposits(context.Background(), c))
		}
		c.Close()
		want := []string{
			"", "", "Accept-Encoding: identity", "Accept: application/json", "Authorization: Bearer " + token, "GET /v1/deposit HTTP/1.1",
			"Host: " + strings.TrimPrefix(server.url, "http://"), "Traceparent: 00-aa-bb-01", "User-Agent: pixgraph", "X-Request-Id: req-1",
		}
		n := 0
		for request := range requests {
			lines := strings.Split(request, "\r\n")
			slices.Sort(lines)
			if !slices.Equal(lines, want) {
				t.Errorf("request %d is %q", n, request)
			}
			n++
		}
		if n != 3 {
			t.Errorf("%d requests over one connection, want 3", n)
		}
	})
}

// TestTokenAndHeaderOfTheCall: each of several concurrent calls carries the token and the request id of its own caller.
func TestTokenAndHeaderOfTheCall(t *testing.T) { ofBoth(t, "calls", testTokenAndHeaderOfTheCall) }

func testTokenAndHeaderOfTheCall(t *testing.T, newClient newClientFunc) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		caller := strings.TrimPrefix(r.URL.Path, "/request/")
		if r.Header.Get("Authorization") != "Bearer token-"+caller || r.Header.Get("X-Request-Id") != "id-"+caller {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		_, _ = fmt.Fprintf(w, `{"id":%q}`, caller)
	})
	c := newClient(t, server.URL, func(c *config) {
		c.Token = func(ctx context.Context) string { return "token-" + ctx.Value(callerKey{}).(string) }
		c.Header = func(ctx context.Context) client.Header {
			return client.Header{RequestID: "id-" + ctx.Value(callerKey{}).(string)}
		}
	})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			caller := fmt.Sprint("caller", i)
			ctx := context.WithValue(context.Background(), callerKey{}, caller)
			for range 25 {
				if _, err := c.Notification(ctx, caller); err != nil {
					t.Errorf("%s: %v", caller, err)
				}
			}
		})
	}
	group.Wait()
}

func TestRedirectsAreNotFollowed(t *testing.T) { ofBoth(t, "calls", testRedirectsAreNotFollowed) }

func testRedirectsAreNotFollowed(t *testing.T, newClient newClientFunc) {
	elsewhere, seen := recordRequests(emptyPage)
	other := serve(t, elsewhere)
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, location := range []string{other.URL + "/canary", "/canary", "//" + other.Listener.Addr().String(), "%zz"} {
			calls := 0
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				calls++
				w.Header().Set("Location", location)
				w.WriteHeader(status)
			})
			_, err := newClient(t, server.URL).Deposits(context.Background(), nil, client.PageRequest{})
			if upstream.KindOf(err) != upstream.KindInvalidResponse || calls != 1 {
				t.Errorf("%d to %s: %d calls, error %v", status, location, calls, err)
			}
			wantNoSecrets(t, err, server.URL)
		}
	}
	if len(seen) != 0 {
		t.Errorf("%s was sent to another server", <-seen)
	}
}

// TestProxyIsNotUsed: a proxy of the environment would get the token.
func TestProxyIsNotUsed(t *testing.T) {
	proxy, seen := recordRequests(emptyPage)
	proxyURL := serve(t, proxy).URL
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxyURL)
	}
	for _, http := range []client.HTTP{client.HTTP1, client.NetHTTP} {
		c := newClient(t, "http://api.invalid", func(c *config) { c.HTTP = http })
		if _, err := c.Deposits(context.Background(), nil, client.PageRequest{}); err == nil || len(seen) != 0 {
			t.Errorf("%s: error = %v, %d requests through the proxy", http, err, len(seen))
		}
	}
}
