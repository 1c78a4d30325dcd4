package httpserver_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"pixgraph/internal/httpserver"
)

// counted is a server that counts the requests that reach a handler, and those that are refused.
type counted struct {
	*secure
	served, refused atomic.Int64
}

func startCounted(t *testing.T, handler http.HandlerFunc, requests int) *counted {
	t.Helper()
	c := &counted{}
	bounded := httpserver.BoundHTTP2(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.served.Add(1)
		handler(w, r)
	}), requests)
	c.secure = serveSecure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if panicked := recover(); panicked != nil {
				c.refused.Add(1)
				panic(panicked)
			}
		}()
		bounded.ServeHTTP(w, r)
	}))
	return c
}

// TestUnacceptedHeaders: a request counts until the connection has accepted its response, also if that has no body.
func TestUnacceptedHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const requests, sent = 8, 60
		c := startCounted(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", "id") // net/http does not wait for a header without fields
			w.WriteHeader(http.StatusNoContent)
		}, requests)
		r := c.dial()
		err := r.until(func(frame http2.Frame) bool {
			settings, ok := frame.(*http2.SettingsFrame)
			return ok && settings.IsAck()
		})
		r.must(0, err)
		c.stall.Store(true)
		for range sent {
			_, err := r.request("/")
			r.must(0, err)
		}
		synctest.Wait()
		if c.served.Load() > 3*requests || c.served.Load()+c.refused.Load() != sent { // some responses fit the buffer of the connection
			t.Errorf("%d requests were served, which wait for a connection that accepts nothing, %d are refused", c.served.Load(), c.refused.Load())
		}
	})
}

// TestLargeHeaders: a header counts as several requests, since it is in memory as long as its request. With HPACK a
// client sends few bytes for it.
func TestLargeHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const requests, sent = 64, 20
		hold := make(chan struct{})
		c := startCounted(t, func(http.ResponseWriter, *http.Request) { <-hold }, requests)
		defer close(hold)
		r := c.dial()
		large := slices.Repeat([][2]string{{"x", strings.Repeat("x", 4000)}}, 15) // the second to the last are a byte each
		for range sent {
			_, err := r.request("/", large...)
			r.must(0, err)
		}
		synctest.Wait()
		if c.served.Load() > requests/8 || c.served.Load()+c.refused.Load() != sent {
			t.Errorf("%d requests with headers of 60 KiB are served at a time, %d are refused", c.served.Load(), c.refused.Load())
		}
	})
}

// TestUnreadRefusal: net/http itself rejects headers that are too large. A client that does not read that response
// keeps them in memory for less time than a response that is counted.
func TestUnreadRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startSecure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }), 8)
		r := s.dial(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		rejected, err := r.request("/", slices.Repeat([][2]string{{"x", strings.Repeat("x", 4000)}}, 20)...)
		r.must(0, err)
		_, err = r.request("/")
		r.must(0, err)
		var status string
		r.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		err = r.until(func(frame http2.Frame) bool {
			if headers, ok := frame.(*http2.MetaHeadersFrame); ok && headers.StreamID == rejected {
				status = headers.PseudoValue("status")
			}
			reset, ok := frame.(*http2.RSTStreamFrame)
			if ok && reset.StreamID != rejected {
				t.Error("the other response was reset first")
			}
			return ok
		})
		if err != nil || status != "431" {
			t.Errorf("status %s, %v", status, err)
		}
	})
}
