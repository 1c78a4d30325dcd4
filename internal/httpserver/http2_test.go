package httpserver_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"pixgraph/internal/httpserver"
	"pixgraph/internal/memnet"
	"pixgraph/test/gatewaytest"
)

// TestHTTP2Requests: requests of all connections are bounded, and a connection does not take what another needs. A
// request above the bound is reset.
func TestHTTP2Requests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const requests = 8
		var running atomic.Int64
		release := make(chan struct{})
		s := startSecure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hold" {
				running.Add(1)
				defer running.Add(-1)
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
				<-release
			}
			_, _ = io.WriteString(w, r.Proto)
		}), requests)
		greedy := s.client()
		var refused, served atomic.Int64
		var holding sync.WaitGroup
		for range requests {
			holding.Go(func() {
				if _, err := s.get(t.Context(), greedy, "/hold"); err != nil {
					refused.Add(1)
				} else {
					served.Add(1)
				}
			})
		}
		synctest.Wait()
		if refused.Load() == 0 || refused.Load()+running.Load() != requests {
			t.Errorf("one connection has %d requests, %d are refused", running.Load(), refused.Load())
		}
		if body, err := s.get(t.Context(), s.client(), "/"); err != nil || body != "HTTP/2.0" {
			t.Errorf("another connection: %q, %v", body, err)
		}
		close(release)
		holding.Wait()
		if served.Load() != requests-refused.Load() {
			t.Errorf("%d requests were served, %d refused", served.Load(), refused.Load())
		}
		if body, err := s.get(t.Context(), greedy, "/"); err != nil || body != "HTTP/2.0" {
			t.Errorf("the first connection after its requests ended: %q, %v", body, err)
		}
	})
}

// TestRefusedRequest: a response that closes a connection of HTTP/1.1, such as 413, leaves that of HTTP/2 open.
func TestRefusedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startSecure(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}), 8)
		r := s.dial()
		for range 2 {
			stream, err := r.request("/")
			r.must(0, err)
			err = r.until(func(frame http2.Frame) bool {
				if _, away := frame.(*http2.GoAwayFrame); away {
					t.Error("the connection ends")
				}
				return frame.Header().StreamID == stream && frame.Header().Flags.Has(http2.FlagDataEndStream)
			})
			r.must(0, err)
		}
	})
}

// TestUnreadBody: the body of a request whose handler reads none keeps no other request of its connection waiting.
func TestUnreadBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveSecure(t, httpserver.BoundHTTP2(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet { // as a stream
				<-r.Context().Done()
			}
			n, _ := io.Copy(io.Discard, r.Body)
			_, _ = fmt.Fprint(w, n)
		}), 8), func(l net.Listener) net.Listener { return proxied{l} })
		client, body := s.client(), strings.Repeat("x", 200<<10)
		stream, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+s.address, strings.NewReader(body))
		must(t, err)
		go func() {
			if resp, err := client.Do(stream); err == nil {
				_ = resp.Body.Close()
			}
		}()
		synctest.Wait()
		resp, err := client.Post("https://"+s.address, "text/plain", strings.NewReader(body))
		must(t, err)
		defer resp.Body.Close()
		if read, err := io.ReadAll(resp.Body); err != nil || string(read) != strconv.Itoa(len(body)) {
			t.Errorf("the handler reads %s of %d bytes: %v", read, len(body), err)
		}
	})
}

// TestUnreadResponses: a request counts until its client has accepted the response, however small it is.
func TestUnreadResponses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const requests = 8
		s := startSecure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }), requests)
		r := s.dial(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		for range requests {
			_, err := r.request("/")
			r.must(0, err)
		}
		begun, refused := 0, 0
		err := r.until(func(frame http2.Frame) bool {
			switch frame.(type) {
			case *http2.HeadersFrame:
				begun++
			case *http2.RSTStreamFrame:
				refused++
			}
			return begun+refused == requests
		})
		if err != nil || refused == 0 {
			t.Errorf("%d requests have no end, %d are refused: %v", begun, refused, err)
		}
		if body, err := s.get(t.Context(), s.client(), "/"); err != nil || body != "HTTP/2.0" {
			t.Errorf("another connection: %q, %v", body, err)
		}
	})
}

// TestHTTP2Settings: what the server offers bounds the memory of a connection.
func TestHTTP2Settings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startSecure(t, http.NotFoundHandler(), 8)
		want := map[http2.SettingID]uint32{
			http2.SettingMaxConcurrentStreams: 100, http2.SettingMaxFrameSize: 16 << 10, http2.SettingInitialWindowSize: 64 << 10,
			http2.SettingMaxHeaderListSize: httpserver.MaxHeader + 320, http2.SettingHeaderTableSize: 4096,
		}
		err := s.dial().until(func(frame http2.Frame) bool {
			settings, ok := frame.(*http2.SettingsFrame)
			if !ok {
				return false
			}
			for id, value := range want {
				if got, _ := settings.Value(id); got != value {
					t.Errorf("%s is %d, want %d", id, got, value)
				}
			}
			return true
		})
		must(t, err)
	})
}

// TestFrameSize: a connection sends no frame above 16 KiB, although its client accepts larger ones, which would stay in
// memory.
func TestFrameSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 1 << 20
		s := startSecure(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, size)) }), 8)
		r := s.dial(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 23}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30})
		r.SetMaxReadFrameSize(1 << 23)
		r.must(0, r.WriteWindowUpdate(0, 1<<30))
		stream, err := r.request("/")
		r.must(0, err)
		total, largest := 0, 0
		err = r.until(func(frame http2.Frame) bool {
			if data, ok := frame.(*http2.DataFrame); ok {
				total += len(data.Data())
				largest = max(largest, len(data.Data()))
			}
			return frame.Header().StreamID == stream && frame.Header().Flags.Has(http2.FlagDataEndStream)
		})
		if err != nil || total != size || largest > 16<<10 {
			t.Errorf("%d bytes in frames of up to %d: %v", total, largest, err)
		}
	})
}

// TestStalledClient: a write ends at its deadline, whether the client accepts no data of the stream, or nothing at all.
func TestStalledClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const wait = 100 * time.Millisecond
		ended := make(chan struct{}, 1)
		var s *secure
		s = startSecure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.stall.Store(r.URL.Path == "/connection")
			began := time.Now()
			_ = http.NewResponseController(w).SetWriteDeadline(began.Add(wait))
			_, err := w.Write(make([]byte, 1<<20))
			if took := time.Since(began); err == nil || took > wait+time.Second { // in which net/http may reset the stream
				t.Errorf("%s: the write ended with %v after %s", r.URL.Path, err, took)
			}
			ended <- struct{}{}
		}), 8)
		r := s.dial(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 32 << 10}) // less than a connection holds
		for _, path := range []string{"/stream", "/connection"} {
			_, err := r.request(path)
			r.must(0, err)
			select {
			case <-ended:
			case <-time.After(gatewaytest.Timeout):
				t.Fatalf("%s: the write does not end", path)
			}
		}
	})
}

// TestRapidReset: a client that resets its requests as soon as they are sent is disconnected, and other clients are
// served.
func TestRapidReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		defer close(hold)
		var running, peak atomic.Int64
		s := startSecure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hold" { // as an operation that does not end at once
				peak.Store(max(peak.Load(), running.Add(1)))
				defer running.Add(-1)
				<-hold
			}
			_, _ = io.WriteString(w, "served")
		}), 1000)
		r := s.dial()
		go func() {
			for range 2000 {
				stream, err := r.request("/hold")
				if err != nil || r.WriteRSTStream(stream, http2.ErrCodeCancel) != nil {
					return
				}
			}
		}()
		var away *http2.GoAwayFrame
		err := r.until(func(frame http2.Frame) bool {
			if f, ok := frame.(*http2.GoAwayFrame); ok {
				away = f
			}
			return away != nil
		})
		if away == nil || away.ErrCode != http2.ErrCodeEnhanceYourCalm {
			t.Errorf("the connection ended with %v, %v", away, err)
		}
		if peak.Load() > 101 {
			t.Errorf("%d requests of the connection ran at a time", peak.Load())
		}
		if body, err := s.get(t.Context(), s.client(), "/"); err != nil || body != "served" {
			t.Errorf("another client: %q, %v", body, err)
		}
		if text := s.log.String(); text != "" {
			t.Errorf("the log is %s", text)
		}
	})
}

// TestHandshakeErrors: a client that does not complete the handshake is not worth a line of the log.
func TestHandshakeErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startSecure(t, http.NotFoundHandler(), 8)
		for _, text := range []string{"", "GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x00\x00"} {
			conn := s.connect()
			_, _ = io.WriteString(conn, text)
			_ = conn.(*memnet.Conn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn) // until the server closes it
			_ = conn.Close()
		}
		if text := s.log.String(); text != "" {
			t.Errorf("the log is %s", text)
		}
	})
}

// TestSlowHandshake: a client that does not begin the handshake is disconnected.
func TestSlowHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startSecure(t, http.NotFoundHandler(), 8)
		conn := s.connect()
		_ = conn.SetReadDeadline(time.Now().Add(gatewaytest.Timeout))
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the connection stays open")
		}
	})
}
