package transport_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/graph/apierror"
	"pixgraph/serve/run"
)

// raw sends bytes over a new connection and reads one response. closes reports whether the server closes the
// connection.
func (e endpoint) raw(request string) (r reply, closes bool) {
	e.t.Helper()
	conn, err := e.network.DialContext(e.t.Context(), "tcp", strings.TrimPrefix(e.url, "http://"))
	must(e.t, err)
	e.t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, request)
	must(e.t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(e.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(e.t, err)
	return reply{e.t, resp.StatusCode, resp.Header, string(body)}, resp.Close
}

const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

// TestBodyIsNotRead: a body with a Content-Length above the limit is rejected before it is sent, a chunked one as soon
// as it exceeds the limit. The connection is closed.
func TestBodyIsNotRead(t *testing.T) {
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 1001, strings.Repeat("x", 1001))
	for name, request := range map[string]string{
		"Content-Length":         head + "Content-Length: 1001\r\n\r\n",
		"a huge Content-Length":  head + "Content-Length: 9223372036854775807\r\n\r\n",
		"Expect: 100-continue":   head + "Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n",
		"chunks that do not end": head + "Transfer-Encoding: chunked\r\n\r\n" + chunk,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, closes := start(t, run.Config{MaxBody: 1000}).raw(request)
				r.wantError(http.StatusRequestEntityTooLarge, apierror.LimitExceeded)
				if !closes {
					t.Error("the connection is kept")
				}
			})
		})
	}
}

// TestRawRequests: requests that no client library sends.
func TestRawRequests(t *testing.T) {
	e := start(t, run.Config{})
	tests := []struct {
		name, request string
		status        int
	}{
		{"no body", head + "\r\n", 400},
		{"an invalid chunk", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
		{"an empty chunked body", head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		{"two content types", head + "Content-Type: text/plain\r\nContent-Length: 0\r\n\r\n", 415},
		{"two encodings", head + "Content-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", 415},
		{"a valid body in chunks", head + "Transfer-Encoding: chunked\r\n\r\n12\r\n{\"query\":\"{ ok }\"}\r\n0\r\n\r\n", 200},
		{"a valid body over HTTP/1.0", "POST / HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n{\"query\":\"{ ok }\"}", 200},
		{"an unknown method", "QUERY / HTTP/1.1\r\nHost: x\r\n\r\n", 405},
		{"a GET with a body", "GET /?query=%7Bok%7D HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 200},
		{"raw bytes in the URL", "GET /?query=\xff HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			r, _ := e.raw(tt.request)
			if r.status != tt.status {
				t.Fatalf("status %d %s, want %d", r.status, r.body, tt.status)
			}
			r.wantHeader("Content-Type", "application/json; charset=utf-8")
		})
	}
}

// TestSlowBody: a body that arrives after the server's deadline is a timeout.
func TestSlowBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Second)); err != nil {
				t.Error(err)
			}
			newHandler(t, run.Config{}, nil).ServeHTTP(w, r)
		})
		r, _ := serve(t, h).raw(head + "Content-Length: 18\r\n\r\n{\"query\"")
		r.wantError(http.StatusRequestTimeout, apierror.BadRequest)
	})
}
