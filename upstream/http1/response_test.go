package http1_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/http1"
)

// TestResponses: each response is read twice: over one connection if reuse is safe, otherwise over two.
func TestResponses(t *testing.T) {
	const body = `{"a":1}`
	const failed = -1
	head := func(status int, lines ...string) string {
		return fmt.Sprintf("HTTP/1.1 %d X\r\n", status) + strings.Join(append(lines, "\r\n"), "\r\n")
	}
	chunked := "7;extension=\"x\"\r\n" + body + "\r\n0\r\n"
	tests := []struct {
		name, answer string
		status       int
		body         string
		kept, ends   bool // whether the client keeps the connection, whether the server closes it
	}{
		{"known length", ok(body), 200, body, true, false},
		{"empty", ok(""), 200, "", true, false},
		{"chunked", head(200, "Transfer-Encoding: chunked") + chunked + "\r\n", 200, body, true, false},
		{"chunked, with trailers", head(200, "Transfer-Encoding: chunked", "Trailer: A") + chunked + "A: b\r\n\r\n", 200, body, true, false},
		{"chunked, after a header in many reads",
			head(200, "Transfer-Encoding: chunked", "A: "+strings.Repeat("a", 20_000)) + chunked + "\r\n", 200, body, false, false},
		{"chunked, with a length too", head(200, "Transfer-Encoding: chunked", "content-LENGTH: 7") + chunked + "\r\n", 200, body, false, false},
		{"until the connection ends", "HTTP/1.1 200 OK\r\n\r\n" + body, 200, body, false, true},
		{"Connection: close", head(200, "Connection: close", "Content-Length: 7") + body, 200, body, false, false},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 7\r\n\r\n" + body, 200, body, false, false},
		{"HTTP/1.0, kept alive", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 7\r\n\r\n" + body, 200, body, false, false},
		{"bare line ends", "HTTP/1.1 200 OK\nContent-Length: 7\n\n" + body, 200, body, true, false},
		{"the same length twice", head(200, "Content-Length: 7", "Content-Length: 7") + body, 200, body, true, false},
		{"two responses", ok(body) + ok(`{"b":2}`), 200, body, false, false},
		{"a byte after it", ok(body) + "\n", 200, body, false, false},
		{"after one 103", head(103, "Link: </x>") + ok(body), 200, body, true, false},
		{"after five 1xx", strings.Repeat(head(100), 5) + ok(body), 200, body, true, false},
		{"after six 1xx", strings.Repeat(head(100), 6) + ok(body), failed, "", false, false},
		{"404 with a body", head(404, "Content-Length: 7") + body, 404, "", true, false},
		{"404 with chunks", head(404, "Transfer-Encoding: chunked") + chunked + "\r\n", 404, "", true, false},
		{"404 with an empty body", head(404, "Content-Length: 0"), 404, "", true, false},
		{"404 with a large body", head(404, "Content-Length: 16384") + strings.Repeat("x", 16<<10), 404, "", true, false},
		{"404 with a body too large to drain", head(404, "Content-Length: 16385") + strings.Repeat("x", 16<<10+1), 404, "", false, false},
		{"404 with chunks too large to drain",
			head(404, "Transfer-Encoding: chunked") + "4001\r\n" + strings.Repeat("x", 16<<10+1) + "\r\n0\r\n\r\n", 404, "", false, false},
		{"404 with invalid chunks", head(404, "Transfer-Encoding: chunked") + "x\r\n\r\n", 404, "", false, false},
		{"204", head(204), 204, "", true, false},
		{"204 with a length", head(204, "Content-Length: 7"), 204, "", false, false},
		{"204 with a body", head(204) + body, 204, "", false, false},
		{"304", head(304), 304, "", true, false},
		{"304 that announces chunks", head(304, "Transfer-Encoding: chunked"), 304, "", false, false},
		{"304 with chunks", head(304, "Transfer-Encoding: chunked") + chunked + "\r\n", 304, "", false, false},
		{"101", head(101, "Upgrade: x", "Connection: Upgrade"), 101, "", false, false},
		{"status 099", "HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n", 99, "", false, false},
		{"two lengths", head(200, "Content-Length: 7", "Content-Length: 8") + body, failed, "", false, false},
		{"a length with a sign", head(200, "Content-Length: +7") + body, failed, "", false, false},
		{"another transfer coding", head(200, "Transfer-Encoding: gzip, chunked") + body, failed, "", false, false},
		{"chunks without an end", head(200, "Transfer-Encoding: chunked") + chunked, failed, "", false, true},
		{"truncated", head(200, "Content-Length: 8") + body, failed, "", false, true},
		{"not HTTP", "220 ESMTP\r\n\r\n", failed, "", false, false},
		{"a header at the limit", head(200, "A: "+strings.Repeat("a", 60_000), "Content-Length: 7") + body, 200, body, true, false},
		{"a header above the limit", head(200, "A: "+strings.Repeat("a", 64<<10), "Content-Length: 7") + body, failed, "", false, false},
		{"headers above the limit in total", strings.Repeat(head(103, "A: "+strings.Repeat("a", 20_000)), 4) + ok(body), failed, "", false, false},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			s := serve(t, func(p *peer) {
				for p.request() {
					p.write(tt.answer)
					if tt.ends {
						return
					}
				}
			})
			host := newHost(t, s)
			for range 2 {
				answer, err := get(host)
				if (err != nil) != (tt.status == failed) {
					t.Fatalf("error = %v", err)
				}
				if err == nil && (answer.Status != tt.status || string(answer.Body) != tt.body || answer.Encoded != len(tt.body) || answer.Attempts != 1) {
					t.Errorf("response = %d %q, %d bytes, %d attempts", answer.Status, answer.Body, answer.Encoded, answer.Attempts)
				}
			}
			s.wantConnections(t, tt.kept)
			if got := s.requests.Load(); got != 2 {
				t.Errorf("%d requests, want 2", got)
			}
		})
	}
}

func zipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCodings(t *testing.T) {
	const limit = 1000 // the limit of get
	answer := func(coding, body string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", coding, len(body), body)
	}
	cutShort := func(coding, body string, sent int) string {
		whole := answer(coding, body)
		return whole[:len(whole)-len(body)+sent]
	}
	inChunks := func(body string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	}
	text := strings.Repeat("text ", limit/5)
	tests := []struct {
		name, answer, want string
		err                error
	}{
		{"none", ok(text), text, nil},
		{"identity", answer("identity", text), text, nil},
		{"an empty coding", answer("", text), text, nil},
		{"gzip", answer("gzip", zipped(t, text)), text, nil},
		{"gzip in capitals", answer("GZIP", zipped(t, text)), text, nil},
		{"gzip in two members", answer("gzip", zipped(t, text[:500])+zipped(t, text[500:])), text, nil},
		{"gzip in chunks", inChunks(zipped(t, text)), text, nil},
		{"gzip of an empty body", answer("gzip", zipped(t, "")), "", nil},
		{"an empty body as gzip", answer("gzip", ""), "", nil},
		{"gzip above the limit", answer("gzip", zipped(t, text+"x")), "", http1.ErrTooLarge},
		{"not gzip", answer("gzip", text), "", http1.ErrGzip},
		{"gzip followed by other bytes", answer("gzip", zipped(t, text[1:])+strings.Repeat("x", 20)), "", http1.ErrGzip},
		{"gzip followed by a byte", answer("gzip", zipped(t, text)+"x"), "", http1.ErrGzip},
		{"gzip followed by zeros", answer("gzip", zipped(t, text)+"\x00\x00"), "", http1.ErrGzip},
		{"truncated gzip", answer("gzip", zipped(t, text)[:20]), "", http1.ErrGzip},
		{"truncated gzip, in its header", answer("gzip", zipped(t, text)[:5]), "", http1.ErrGzip},
		{"truncated gzip, in its checksum", answer("gzip", zipped(t, text)[:len(zipped(t, text))-1]), "", http1.ErrGzip},
		{"truncated gzip, in its second member", answer("gzip", zipped(t, text[:500])+zipped(t, text[500:])[:15]), "", http1.ErrGzip},
		{"truncated gzip in chunks", inChunks(zipped(t, text)[:20]), "", http1.ErrGzip},
		{"corrupt gzip", answer("gzip", zipped(t, text)[:12]+strings.Repeat("\xff", 30)), "", http1.ErrGzip},
		{"gzip cut short", cutShort("gzip", zipped(t, text), 20), "", io.ErrUnexpectedEOF},
		{"gzip cut short after its end", cutShort("gzip", zipped(t, text)+"x", len(zipped(t, text))), "", io.ErrUnexpectedEOF},
		{"gzip cut short before its start", cutShort("gzip", zipped(t, text), 0), "", io.ErrUnexpectedEOF},
		{"gzip cut short in a chunk", inChunks(zipped(t, text))[:100], "", io.ErrUnexpectedEOF},
		{"gzip without a length", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + zipped(t, text), text, nil},
		{"truncated gzip without a length", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + zipped(t, text)[:20], "", io.ErrUnexpectedEOF},
		{"above the limit", ok(text + "x"), "", http1.ErrTooLarge},
		{"above the limit without a length", "HTTP/1.1 200 OK\r\n\r\n" + text + "x", "", http1.ErrTooLarge},
		{"br", answer("br", text), "", http1.ErrCoding},
		{"gzip twice", answer("gzip, gzip", zipped(t, zipped(t, text))), "", http1.ErrCoding},
		{"gzip and another coding", answer("gzip\r\nContent-Encoding: br", zipped(t, text)), "", http1.ErrCoding},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			s := serve(t, func(p *peer) {
				for p.request() {
					p.write(tt.answer)
					if ends := strings.Contains(tt.name, "without a length") || strings.Contains(tt.name, "cut short"); ends {
						return
					}
				}
			})
			host := newHost(t, s)
			for range 3 { // an inflater is reused after an error
				answer, err := get(host)
				if !errors.Is(err, tt.err) || string(answer.Body) != tt.want {
					t.Errorf("%.40q, error %v; want %.40q, %v", answer.Body, err, tt.want, tt.err)
				}
				if _, sent, _ := strings.Cut(tt.answer, "\r\n\r\n"); err == nil && !strings.Contains(tt.name, "chunks") && answer.Encoded != len(sent) {
					t.Errorf("%d bytes before decompression, want %d", answer.Encoded, len(sent))
				}
			}
			if got := s.connections.Load(); tt.err == nil && got != 1 && !strings.Contains(tt.name, "without a length") {
				t.Errorf("%d connections, want 1", got)
			}
		})
	}
}

// TestLargeBodies: a large body is read completely, and a large Content-Length allocates nothing before the body
// arrives.
func TestLargeBodies(t *testing.T) {
	text := strings.Repeat("0123456789", 300_000)
	const huge = 9_000_000_000_000_000_000
	for _, tt := range []struct {
		name       string
		head, body string
		limit      int64
		want       error
	}{
		{"known length", fmt.Sprintf("Content-Length: %d\r\n", len(text)), text, 4 << 20, nil},
		{"until the connection ends", "", text, 4 << 20, nil},
		{"a length above the limit", fmt.Sprintf("Content-Length: %d\r\n", huge), "", huge - 1, http1.ErrTooLarge},
		{"a length above the body's", fmt.Sprintf("Content-Length: %d\r\n", huge), "", huge, io.ErrUnexpectedEOF},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			s := serve(t, func(p *peer) {
				if p.request() {
					p.write("HTTP/1.1 200 OK\r\n" + tt.head + "\r\n" + tt.body)
				}
			})
			answer, err := get(newHost(t, s), func(r *http1.Request) { r.MaxBody = tt.limit })
			if !errors.Is(err, tt.want) || string(answer.Body) != tt.body {
				t.Errorf("%d bytes, error %v", len(answer.Body), err)
			}
		})
	}
}

// TestDeadlineAndContextEndExchange: the deadline and the context end an exchange in each of its phases. The connection
// is not reused.
func TestDeadlineAndContextEndExchange(t *testing.T) {
	for name, sent := range map[string]string{
		"before the response": "", "in the status": "HTTP/1.1 2", "in the header": "HTTP/1.1 200 OK\r\nA",
		"in the body": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",
		"in a chunk":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{",
	} {
		for _, cancels := range []bool{false, true} {
			bubble(t, map[bool]string{false: "the deadline ", true: "the context "}[cancels]+name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				s := serve(t, func(p *peer) {
					if p.request() {
						if p.write(sent); cancels {
							synctest.Wait() // until the client has read it
							cancel()
						}
						p.gone()
					}
				})
				host, began := newHost(t, s), time.Now()
				answer, err := host.Get(ctx, http1.Request{Target: "/", MaxBody: 9, Deadline: time.Now().Add(timeout)})
				if !errors.Is(err, os.ErrDeadlineExceeded) || answer.Attempts != 1 || host.Idle() != 0 || s.requests.Load() != 1 {
					t.Errorf("error %v, %d attempts, %d requests, %d idle", err, answer.Attempts, s.requests.Load(), host.Idle())
				}
				if waited := time.Since(began); waited != timeout && !cancels || waited != 0 && cancels {
					t.Errorf("it ended after %s", waited)
				}
			})
		}
	}
}

// TestDrainingIsBounded: the status of an error is returned without delay, even if its body never ends.
func TestDrainingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, func(p *peer) {
			if p.request() {
				p.write("HTTP/1.1 503 X\r\nContent-Length: 1000\r\n\r\nx")
				p.gone()
			}
		})
		host, began := newHost(t, s), time.Now()
		answer, err := get(host)
		if err != nil || answer.Status != 503 || host.Idle() != 0 || time.Since(began) != http1.DrainTime {
			t.Errorf("status %d after %s, error %v, %d idle", answer.Status, time.Since(began), err, host.Idle())
		}
	})
}
