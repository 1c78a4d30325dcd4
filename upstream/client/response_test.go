package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

func TestStatuses(t *testing.T) {
	const good = upstream.Kind(-1)
	tests := []struct {
		status       int
		lookup, list upstream.Kind
	}{
		{200, good, good},
		{201, upstream.KindInvalidResponse, upstream.KindInvalidResponse},
		{204, upstream.KindInvalidResponse, upstream.KindInvalidResponse},
		{302, upstream.KindInvalidResponse, upstream.KindInvalidResponse},
		{304, upstream.KindInvalidResponse, upstream.KindInvalidResponse},
		{400, upstream.KindInvalidResponse, upstream.KindInvalidResponse},
		{401, upstream.KindUnauthenticated, upstream.KindUnauthenticated},
		{403, upstream.KindForbidden, upstream.KindForbidden},
		{404, upstream.KindNotFound, upstream.KindInvalidResponse}, // lists have no 404
		{408, upstream.KindUnavailable, upstream.KindUnavailable},
		{421, upstream.KindUnavailable, upstream.KindUnavailable},
		{425, upstream.KindUnavailable, upstream.KindUnavailable},
		{422, upstream.KindInvalidInput, upstream.KindInvalidInput},
		{429, upstream.KindRateLimited, upstream.KindRateLimited},
		{500, upstream.KindServerError, upstream.KindServerError},
		{503, upstream.KindServerError, upstream.KindServerError},
		{599, upstream.KindServerError, upstream.KindServerError},
		{600, upstream.KindInvalidResponse, upstream.KindInvalidResponse},
		{999, upstream.KindInvalidResponse, upstream.KindInvalidResponse},
	}
	for _, tt := range tests {
		ofBoth(t, fmt.Sprint(tt.status), func(t *testing.T, newClient newClientFunc) {
			body := `{"id":"` + uuid + `","message":"canary",` + emptyPage[1:]
			if tt.status == 204 || tt.status == 304 {
				body = ""
			}
			calls := 0
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				calls++
				w.Header().Set("X-Canary", "canary")
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(body))
			})
			c := newClient(t, server.URL+"/canary")
			_, err := c.Transaction(context.Background(), uuid)
			check := func(err error, want upstream.Kind) {
				t.Helper()
				if want == good {
					wantOK(t, err)
					return
				}
				var failed *upstream.Error
				if !errors.As(err, &failed) || failed.Kind != want || failed.Status != tt.status || failed.Service != upstream.Core {
					t.Errorf("error = %v, want kind %v", err, want)
				}
				wantNoSecrets(t, err, server.URL)
			}
			check(err, tt.lookup)
			_, err = c.Deposits(context.Background(), nil, client.PageRequest{})
			check(err, tt.list)
			if calls != 2 {
				t.Errorf("%d calls, want 2", calls)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name, value string
		want        time.Duration
	}{
		{"absent", "", 0},
		{"seconds", "30", 30 * time.Second},
		{"zero", "0", 0},
		{"more than a day", "86401", 24 * time.Hour},
		{"the maximum of 32 bits", "4294967295", 24 * time.Hour},
		{"too many seconds", "99999999999999999999", 0},
		{"negative", "-1", 0},
		{"sign", "+30", 0},
		{"fraction", "1.5", 0},
		{"unit", "30s", 0},
		{"text", "soon", 0},
		{"date", "Sat, 31 Jan 2026 12:01:00 GMT", time.Minute},
		{"date of RFC 850", "Saturday, 31-Jan-26 12:01:00 GMT", time.Minute},
		{"date in the past", "Sat, 31 Jan 2026 11:59:00 GMT", 0},
		{"date far away", "Tue, 31 Jan 2051 12:00:00 GMT", 24 * time.Hour},
		{"ISO date", "2026-01-31T12:01:00Z", 0},
	}
	ahead := http.Header{"Retry-After": {"Sat, 31 Jan 2026 12:02:00 GMT"}, "Date": {"Sat, 31 Jan 2026 12:01:00 GMT"}}
	if got := client.RetryAfter(ahead, now); got != time.Minute {
		t.Errorf("%v by the clock of the API", got)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := client.RetryAfter(http.Header{"Retry-After": {tt.value}}, now); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestRetryAfterByStatus(t *testing.T) { ofBoth(t, "calls", testRetryAfterByStatus) }

func testRetryAfterByStatus(t *testing.T, newClient newClientFunc) {
	for _, tt := range []struct {
		status int
		value  string
		want   time.Duration
	}{
		{429, "30", 30 * time.Second}, {429, "Tue, 31 Jan 2051 12:00:00 GMT", 24 * time.Hour}, {429, "canary", 0},
		{503, "1", time.Second}, {401, "1", 0}, {302, "1", 0}, {404, "1", 0},
	} {
		server := serve(t, status(tt.status, "Retry-After", tt.value))
		_, err := newClient(t, server.URL).Transaction(context.Background(), uuid)
		var failed *upstream.Error
		if !errors.As(err, &failed) || failed.RetryAfter != tt.want {
			t.Errorf("%d, %s: %#v, want %v", tt.status, tt.value, err, tt.want)
		}
		wantNoSecrets(t, err, server.URL)
	}
}

// gzipped compresses a body.
func gzipped(t *testing.T, body []byte) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	_, err := w.Write(body)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// TestBodies: the kind of the error of each kind of body. Tests of package http1 have every body.
func TestBodies(t *testing.T) {
	const limit = 1000
	const good = upstream.Kind(-1)
	sized := func(n int) string { return emptyPage + strings.Repeat(" ", n-len(emptyPage)) }
	header := func(lines ...string) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n" + strings.Join(lines, "\r\n") + "\r\n\r\n"
	}
	length := func(n int) string { return fmt.Sprint("Content-Length: ", n) }
	chunked := func(body string) string {
		return header("Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	}
	compressed := func(body []byte) string {
		return header("Content-Encoding: gzip", length(len(body))) + string(body)
	}
	tests := []struct {
		name, response string
		want           upstream.Kind
	}{
		{"chunked", chunked(emptyPage), good},
		{"in gzip", compressed(gzipped(t, []byte(emptyPage))), good},
		{"at the limit, gzip", compressed(gzipped(t, []byte(sized(limit)))), good},
		{"one over the limit, gzip", compressed(gzipped(t, []byte(sized(limit+1)))), upstream.KindInvalidResponse},
		{"a Content-Length over the limit", header("Content-Length: 9000000000000000000"), upstream.KindInvalidResponse},
		{"longer than its length", header(length(10)) + emptyPage, upstream.KindInvalidResponse},
		{"empty", header(length(0)), upstream.KindInvalidResponse},
		{"null", header(length(4)) + "null", upstream.KindInvalidResponse},
		{"HTML", header() + "<html>canary</html>", upstream.KindInvalidResponse},
		{"a byte order mark", header() + "\ufeff" + emptyPage, upstream.KindInvalidResponse},
		{"bytes after the document", header() + emptyPage + "canary", upstream.KindInvalidResponse},
		{"another encoding", header("Content-Encoding: br") + "canary", upstream.KindInvalidResponse},
		{"not gzip", header("Content-Encoding: gzip") + emptyPage, upstream.KindInvalidResponse},
		{"shorter than its length", header(length(900)) + emptyPage, upstream.KindUnavailable},
		{"chunked, truncated", header("Transfer-Encoding: chunked") + "100\r\n" + emptyPage, upstream.KindUnavailable},
		{"chunked, invalid", header("Transfer-Encoding: chunked") + "canary\r\n", upstream.KindUnavailable},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			server := serveBytes(t, tt.response, func(*rawConn) {})
			c := newClient(t, server.url, func(c *config) { c.MaxBody = limit })
			_, err := c.Deposits(context.Background(), nil, client.PageRequest{})
			if tt.want == good {
				wantOK(t, err)
			} else if err == nil || upstream.KindOf(err) != tt.want {
				t.Errorf("error = %v, want kind %v", err, tt.want)
			}
			if got := server.requests.Load(); got != 1 {
				t.Errorf("%d requests, want 1", got)
			}
			wantNoSecrets(t, err, server.url)
		})
	}
}

// TestLargeBodies: a large body is read completely, whether its length is known or not.
func TestLargeBodies(t *testing.T) {
	record := `{"id":"` + uuid + `","acquirer":"` + strings.Repeat("iVBORw0K", 640) + `"}` // 5 KiB, as a deposit with its QR code
	body := []byte(`{"total":100,"totalPages":1,"currentPage":1,"perPage":100,"data":[` + strings.Repeat(record+",", 99) + record + "]}")
	handlers := map[string]http.HandlerFunc{
		"of a known length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			_, _ = w.Write(body)
		},
		"chunked": func(w http.ResponseWriter, _ *http.Request) {
			for rest := body; len(rest) > 0; {
				n := min(len(rest), 7777)
				_, _ = w.Write(rest[:n])
				rest = rest[n:]
			}
		},
		"in gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(gzipped(t, body))
		},
	}
	for name, handler := range handlers {
		ofBoth(t, name, func(t *testing.T, newClient newClientFunc) {
			page, err := newClient(t, serve(t, handler).URL).Deposits(context.Background(), nil, client.PageRequest{})
			if err != nil || len(page.Records) != 100 {
				t.Fatalf("page = %v, %v", page, err)
			}
			for i, r := range page.Records {
				if string(r.Bytes()) != record {
					t.Errorf("record %d is %.100q", i, r.Bytes())
				}
			}
		})
	}
}

// TestSmallResponsesUseLittleMemory: a small response does not hold as much memory as the large one before it.
func TestSmallResponsesUseLittleMemory(t *testing.T) {
	large := emptyPage + strings.Repeat(" ", 900<<10)
	for name, write := range map[string]func(http.ResponseWriter, string){
		"in chunks": func(w http.ResponseWriter, body string) {
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, body)
		},
		"in gzip": func(w http.ResponseWriter, body string) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(gzipped(t, []byte(body)))
		},
	} {
		ofBoth(t, name, func(t *testing.T, newClient newClientFunc) {
			bodies := make(chan string, 1)
			c := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) { write(w, <-bodies) }).URL)
			for _, body := range []string{large, emptyPage, large, emptyPage} {
				bodies <- body
				got, err := c.session(t.Context()).DepositsBody(t.Context())
				if err != nil || string(got) != body {
					t.Fatalf("%d bytes, error %v; want %d bytes", len(got), err, len(body))
				}
				if limit := max(4*len(body), 16<<10); cap(got) > limit {
					t.Errorf("%d bytes in %d, want at most %d", len(got), cap(got), limit)
				}
			}
		})
	}
}
