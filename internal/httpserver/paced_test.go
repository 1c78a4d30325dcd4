package httpserver_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
)

// TestPacedFrames: frames that lead to nothing are read slowly, also after requests that failed.
func TestPacedFrames(t *testing.T) {
	for name, failing := range map[string]int{"pings only": 0, "pings after failed requests": 200} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := startSecure(t, http.NotFoundHandler(), 100)
				r := s.dial()
				for range failing {
					stream, err := r.request("/")
					r.must(0, err)
					r.must(0, r.until(func(frame http2.Frame) bool {
						return frame.Header().StreamID == stream && frame.Header().Flags.Has(http2.FlagDataEndStream)
					}))
				}
				began := time.Now()
				const pings, ping = 10_000, 17
				go func() {
					for i := range pings {
						if r.WritePing(false, [8]byte{byte(i >> 8), byte(i)}) != nil {
							return
						}
					}
				}()
				_ = r.conn.SetReadDeadline(time.Now().Add(time.Hour))
				for acknowledged := 0; acknowledged < pings; {
					frame, err := r.ReadFrame()
					r.must(0, err)
					if answer, ok := frame.(*http2.PingFrame); ok && answer.IsAck() {
						acknowledged++
					}
				}
				if took := time.Since(began); took < (pings*ping-24<<10)/(5<<10)*time.Second {
					t.Errorf("%d pings were read in %s", pings, took)
				}
			})
		})
	}
}

// TestUnpacedRequests: requests with successful responses are not read slowly, with and without bodies.
func TestUnpacedRequests(t *testing.T) {
	for _, body := range []string{"", strings.Repeat("x", 300<<10)} {
		synctest.Test(t, func(t *testing.T) {
			s := startSecure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }), 100)
			client := s.client()
			began := time.Now()
			for range 300 {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+s.address, strings.NewReader(body))
				must(t, err)
				req.Header.Set("Authorization", "Bearer "+strings.Repeat("x", 1000))
				resp, err := client.Do(req)
				must(t, err)
				read, err := io.ReadAll(resp.Body)
				must(t, err)
				if _ = resp.Body.Close(); len(read) != len(body) {
					t.Fatalf("%d bytes", len(read))
				}
			}
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("300 requests with %d bytes took %s", len(body), took)
			}
			client.CloseIdleConnections()
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
