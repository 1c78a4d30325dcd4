package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// recordExchanges appends the exchanges of the client to a slice, which the test reads after the calls.
func recordExchanges(into *[]client.Exchange) func(*config) {
	return func(c *config) {
		c.Observe = func(_ context.Context, e client.Exchange) { *into = append(*into, e) }
	}
}

func TestExchangesAreObserved(t *testing.T) {
	body := `{"id":"` + uuid + `",` + emptyPage[1:]
	handlers := map[string]http.HandlerFunc{
		"plain": respondWith(body),
		"gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(gzipped(t, []byte(body)))
		},
		"503":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"not JSON": respondWith("canary"),
	}
	tests := []struct {
		name, handler  string
		call           func(context.Context, *testClient) error
		route          string
		service        upstream.Service
		status         int
		bytes, encoded int
		failed         bool
	}{
		{"deposits", "plain", listDeposits, "/deposit", upstream.Core, 200, len(body), len(body), false},
		{"withdrawals", "plain", func(ctx context.Context, c *testClient) error {
			_, err := c.Withdrawals(ctx, nil, client.PageRequest{})
			return err
		}, "/withdrawal", upstream.Core, 200, len(body), len(body), false},
		{"a transaction", "plain", func(ctx context.Context, c *testClient) error {
			_, err := c.Transaction(ctx, uuid)
			return err
		}, "/transaction/{id}", upstream.Core, 200, len(body), len(body), false},
		{"a notification", "plain", func(ctx context.Context, c *testClient) error {
			_, err := c.Notification(ctx, uuid)
			return err
		}, "/request/{id}", upstream.Dispatcher, 200, len(body), len(body), false},
		{"a body in gzip", "gzip", listDeposits, "/deposit", upstream.Core, 200, len(body), len(gzipped(t, []byte(body))), false},
		{"a status", "503", listDeposits, "/deposit", upstream.Core, 503, 0, 0, true},
		{"an invalid body does not fail the exchange", "not JSON", listDeposits, "/deposit", upstream.Core, 200, 6, 6, false},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			var got []client.Exchange
			c := newClient(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(time.Second)
				handlers[tt.handler](w, r)
			}).URL, recordExchanges(&got))
			before := time.Now()
			err := tt.call(context.Background(), c)
			if len(got) != 1 {
				t.Fatalf("%d exchanges, want 1", len(got))
			}
			e := got[0]
			if e.Route != tt.route || e.Service != tt.service || e.Status != tt.status || e.Bytes != tt.bytes || e.EncodedBytes != tt.encoded || e.Attempt != 1 {
				t.Errorf("exchange = %+v", e)
			}
			if (e.Err != nil) != tt.failed || tt.failed && !errors.Is(e.Err, err) {
				t.Errorf("its error is %v, the call's %v", e.Err, err)
			}
			if !e.Start.Equal(before) || e.Duration != time.Second || e.Waited != 0 {
				t.Errorf("it began %v after the call, waited %v, took %v", e.Start.Sub(before), e.Waited, e.Duration)
			}
		})
	}
}

// TestFailedExchangesAreObserved: a request that http1 sent again is one exchange of two attempts. An exchange without
// a response has no status. A call that was not sent has no exchange.
func TestFailedExchangesAreObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		server := serveRaw(t, func(w *rawConn) {
			for {
				if _, err := w.request(); err != nil || calls.Add(1) > 1 {
					return
				}
				_, _ = w.Write([]byte(ok(emptyPage)))
			}
		})
		var got []client.Exchange
		c := newClient(t, server.url, recordExchanges(&got))
		first, second := listDeposits(context.Background(), c), listDeposits(context.Background(), c)
		if first != nil || upstream.KindOf(second) != upstream.KindUnavailable || len(got) != 2 {
			t.Fatalf("%v, %v, %d exchanges", first, second, len(got))
		}
		if e := got[1]; e.Attempt != 2 || e.Status != 0 || !errors.Is(e.Err, second) {
			t.Errorf("exchange = %+v", e)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := listDeposits(ctx, c); upstream.KindOf(err) != upstream.KindCanceled {
			t.Errorf("error = %v", err)
		}
		if len(got) != 2 {
			t.Errorf("a call that was not sent has an exchange: %+v", got[2])
		}
		for _, e := range got {
			if text := fmt.Sprintf("%+v", e); strings.Contains(text, token) || strings.Contains(text, "127.0.0.1") {
				t.Errorf("%s", text)
			}
		}
	})
}
