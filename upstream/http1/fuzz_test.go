package http1_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"testing"
	"testing/synctest"

	"pixgraph/internal/memnet"
	"pixgraph/upstream/http1"
)

// FuzzAnswer sends any bytes as a response, and closes the connection. If both this package and net/http's Transport
// accept them, their results are equal. A connection of this package is kept only if the bytes are exactly one
// response. The next call does not receive any of the bytes.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		ok("{}"), ok("{}") + ok("[]"), "HTTP/1.1 100 X\r\n\r\n" + ok("{}"), "HTTP/1.0 200 OK\r\n\r\n{}", "HTTP/1.1 204 X\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n2\r\n{}\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"HTTP/1.1 404 X\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nx",
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + zipped(f, "{}"), "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n folded\r\n\r\n{}", "",
	} {
		f.Add([]byte(seed))
	}
	const marker = "the next response"
	f.Fuzz(func(t *testing.T, sent []byte) {
		synctest.Test(t, func(t *testing.T) {
			answer := sent
			s := serve(t, func(p *peer) {
				if p.request() {
					_, _ = p.Write(answer)
					_ = p.Conn.(*memnet.Conn).CloseWrite()
					p.gone()
				}
			})
			host := newHost(t, s)
			got, err := get(host)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatal("Get waits for more bytes than were sent")
			}
			if host.Idle() > 0 {
				if rest := after(sent); rest != 0 {
					t.Errorf("the connection is kept with %d bytes after the response", rest)
				}
			}
			if want, errWant := get(newNetHTTP(t, s)); err == nil && errWant == nil {
				if got.Status != want.Status || got.Status == http.StatusOK && !bytes.Equal(got.Body, want.Body) {
					t.Errorf("%d %q, net/http has %d %q", got.Status, got.Body, want.Status, want.Body)
				}
			}
			synctest.Wait()
			answer = []byte(ok(marker))
			if got, err := get(host); err != nil || string(got.Body) != marker {
				t.Errorf("the next response is %q, error %v", got.Body, err)
			}
		})
	})
}

// after is the number of bytes after the first final response.
func after(sent []byte) int {
	r := bufio.NewReaderSize(bytes.NewReader(sent), len(sent)+16)
	for {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return -1
		}
		if resp.StatusCode >= 200 {
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				return -1
			}
			return r.Buffered()
		}
	}
}

// netHTTP makes requests with net/http's Transport, to compare with.
type netHTTP struct {
	http.Transport
	server *url.URL
	bodies http1.Bodies
}

func newNetHTTP(t testing.TB, s *server) *netHTTP {
	h := &netHTTP{Transport: http.Transport{DialContext: network.DialContext, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10}, server: s.url}
	t.Cleanup(h.CloseIdleConnections)
	return h
}

func (h *netHTTP) Get(ctx context.Context, request http1.Request) (answer http1.Answer, err error) {
	r := &http.Request{Method: http.MethodGet, URL: h.server.JoinPath(request.Target), Header: http.Header{"Authorization": {request.Bearer}}}
	resp, err := h.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return answer, err
	}
	defer resp.Body.Close()
	if answer.Status = resp.StatusCode; answer.Status == http.StatusOK {
		err = h.bodies.Read(resp, &request, &answer)
	}
	return answer, err
}
