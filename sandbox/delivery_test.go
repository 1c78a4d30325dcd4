package sandbox_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"

	"pixgraph/sandbox"
)

// TestWholeAnswers: faults whose response the client can read completely.
func TestWholeAnswers(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		address := s.CoreURL() + "/withdrawal"
		real := get(t, s, address)
		tests := []struct {
			name   string
			fault  sandbox.Fault
			status int
			typ    string // of the content
			body   string
			header http.Header
		}{
			{"status", sandbox.Fault{Status: 500}, 500, "application/json; charset=utf-8", `{"statusCode":500,"message":"Internal Server Error"}`, nil},
			{"status and headers", sandbox.Fault{Status: 429, Header: http.Header{"Retry-After": {"7"}}}, 429,
				"application/json; charset=utf-8", `{"statusCode":429,"message":"Too Many Requests"}`, http.Header{"Retry-After": {"7"}}},
			{"status, body and type", sandbox.Fault{Status: 502, Body: []byte("<p>"), ContentType: "text/html"}, 502, "text/html", "<p>", nil},
			{"body", sandbox.Fault{Body: []byte(`{"total":1}`)}, 200, "application/json; charset=utf-8", `{"total":1}`, nil},
			{"empty body", sandbox.Fault{Body: []byte{}}, 200, "application/json; charset=utf-8", "", nil},
			{"no content", sandbox.Fault{Status: 204}, 204, "application/json; charset=utf-8", "", nil},
			{"only a header", sandbox.Fault{Header: http.Header{"X-Canary": {"a", "b"}}}, 200, "application/json; charset=utf-8",
				string(real.body), http.Header{"X-Canary": {"a", "b"}}},
			{"mutate", sandbox.Fault{Mutate: func(b []byte) []byte { return bytes.Replace(b, []byte(`"total":50`), []byte(`"total":51`), 1) }}, 200,
				"application/json; charset=utf-8", string(bytes.Replace(real.body, []byte(`"total":50`), []byte(`"total":51`), 1)), nil},
			{"HTML", sandbox.Fault{Kind: sandbox.FaultHTML}, 200, "text/html; charset=utf-8",
				"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>\n", nil},
			{"empty", sandbox.Fault{Kind: sandbox.FaultEmpty}, 200, "application/json; charset=utf-8", "", nil},
			{"bad json", sandbox.Fault{Kind: sandbox.FaultBadJSON}, 200, "application/json; charset=utf-8", string(real.body[:len(real.body)/2]), nil},
			{"redirect", sandbox.Fault{Kind: sandbox.FaultRedirect, Location: "http://198.51.100.1/"}, 302,
				"application/json; charset=utf-8", "", http.Header{"Location": {"http://198.51.100.1/"}}},
			{"redirect with a status", sandbox.Fault{Kind: sandbox.FaultRedirect, Location: "/x", Status: 308}, 308,
				"application/json; charset=utf-8", "", http.Header{"Location": {"/x"}}},
			{"drip", sandbox.Fault{Kind: sandbox.FaultDrip, Body: []byte(`{"total":1}`), Interval: time.Microsecond}, 200,
				"application/json; charset=utf-8", `{"total":1}`, nil},
		}
		for _, tt := range tests {
			s.ResetCalls()
			undo := s.Inject(tt.fault)
			got := get(t, s, address)
			undo()
			if got.status != tt.status || got.header.Get("Content-Type") != tt.typ {
				t.Errorf("%s: status %d, type %q, want %d, %q", tt.name, got.status, got.header.Get("Content-Type"), tt.status, tt.typ)
			}
			if string(got.body) != tt.body {
				t.Errorf("%s: body of %d bytes %.80q, want %d bytes %.80q", tt.name, len(got.body), got.body, len(tt.body), tt.body)
			}
			for name, want := range tt.header {
				if have := got.header[name]; len(have) != len(want) || have[0] != want[0] {
					t.Errorf("%s: %s: %q, want %q", tt.name, name, have, want)
				}
			}
			if calls := s.Calls(); len(calls) != 1 || calls[0].Status != tt.status {
				t.Errorf("%s: recorded %d calls, the first with status %d", tt.name, len(calls), calls[0].Status)
			}
		}
		if got := get(t, s, address); !bytes.Equal(got.body, real.body) {
			t.Error("the response is not complete after the faults")
		}
	})
}

// TestBrokenExchanges: faults whose exchange fails for the client.
func TestBrokenExchanges(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		address := s.CoreURL() + "/withdrawal"
		whole := len(get(t, s, address).body)
		tests := []struct {
			name   string
			fault  sandbox.Fault
			err    error
			status int // as recorded; 0 if the client sees none
			body   int // maximum number of bytes that the client receives
		}{
			{"reset", sandbox.Fault{Kind: sandbox.FaultReset}, syscall.ECONNRESET, 0, 0},
			{"reset in the body", sandbox.Fault{Kind: sandbox.FaultResetBody}, syscall.ECONNRESET, 200, whole / 2},
			{"reset in the body of an error", sandbox.Fault{Kind: sandbox.FaultResetBody, Status: 500}, syscall.ECONNRESET, 500, 30},
			{"truncated", sandbox.Fault{Kind: sandbox.FaultTruncate}, io.ErrUnexpectedEOF, 200, whole / 2},
			{"truncated after 10 bytes", sandbox.Fault{Kind: sandbox.FaultTruncate, Size: 10}, io.ErrUnexpectedEOF, 200, 10},
		}
		for _, tt := range tests {
			s.ResetCalls()
			undo := s.Inject(tt.fault)
			got, err := fetch(t.Context(), newClient(), s.Token(), address)
			undo()
			if !errors.Is(err, tt.err) {
				t.Errorf("%s: error %v, want %v", tt.name, err, tt.err)
			}
			if got.status != tt.status || len(got.body) > tt.body {
				t.Errorf("%s: status %d and %d bytes, want %d and at most %d", tt.name, got.status, len(got.body), tt.status, tt.body)
			}
			if calls := s.Calls(); len(calls) != 1 || calls[0].Status != tt.status || calls[0].Ended.IsZero() {
				t.Errorf("%s: recorded %+v", tt.name, calls)
			}
		}
	})
}

// TestHangs: undo ends hanging calls, in the header and in the body.
func TestHangs(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		for kind, status := range map[sandbox.FaultKind]int{sandbox.FaultHang: 0, sandbox.FaultHangBody: 200} {
			s.ResetCalls()
			undo := s.Inject(sandbox.Fault{Kind: kind})
			replies := send(t, s, "/deposit")
			await(t, s.AwaitCalls, 1)
			undo()
			if got := <-replies; got.err == nil || got.status != status {
				t.Errorf("%s: status %d, error %v, want %d and an error", kind, got.status, got.err, status)
			}
			await(t, s.AwaitEnded, 1)
			if call := s.Calls()[0]; call.Status != status {
				t.Errorf("%s: recorded status %d, want %d", kind, call.Status, status)
			}
		}
	})
}

func TestHuge(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		for _, size := range []int64{200, 1 << 20, 3<<20 + 17} {
			undo := s.Inject(sandbox.Fault{Kind: sandbox.FaultHuge, Size: size})
			got := get(t, s, s.CoreURL()+"/deposit")
			undo()
			if int64(len(got.body)) != size || !json.Valid(got.body) {
				t.Errorf("%d: %d bytes, valid JSON %t", size, len(got.body), json.Valid(got.body))
			}
		}
		s.ResetCalls()
		s.Inject(sandbox.Fault{Kind: sandbox.FaultHuge})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.CoreURL()+"/deposit", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := newClient().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, resp.Body, 1<<20); err != nil {
			t.Error(err)
		}
		_ = resp.Body.Close()
		await(t, s.AwaitEnded, 1)
	})
}

// TestGzipBomb: a small response that is large and valid after decompression.
func TestGzipBomb(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		for _, size := range []int64{200, 1 << 20, 5<<20 + 17} {
			undo := s.Inject(sandbox.Fault{Kind: sandbox.FaultGzipBomb, Size: size})
			got := get(t, s, s.CoreURL()+"/deposit")
			undo()
			if got.header.Get("Content-Encoding") != "gzip" || int64(len(got.body)) > size/100+1000 {
				t.Errorf("%d: encoding %q, %d bytes on the wire", size, got.header.Get("Content-Encoding"), len(got.body))
			}
			zr, err := gzip.NewReader(bytes.NewReader(got.body))
			if err != nil {
				t.Fatal(err)
			}
			inflated, err := io.ReadAll(zr)
			if err != nil || int64(len(inflated)) != size || !json.Valid(inflated) {
				t.Errorf("%d: %d bytes decompressed, want %d, error %v", size, len(inflated), size, err)
			}
		}
	})
}
