package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// observed makes the client tell its exchanges to the test, which reads them after the calls.
func observed(into *[]client.Exchange) func(*config) {
	return func(c *config) {
		c.Observe = func(_ context.Context, e client.Exchange) { *into = append(*into, e) }
	}
}

func TestExchangesAreObserved(t *testing.T) {
	body := `{"id":"` + uuid + `",` + emptyPage[1:]
	answers := map[string]http.HandlerFunc{
		"plain": answering(body),
		"gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped(t, []byte(body)))
		},
		"503":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"no JSON": answering("canary"),
	}
	tests := []struct {
		name, answer   string
		call           func(context.Context, *testClient) error
		route          string
		service        upstream.Service
		status         int
		bytes, encoded int
		failed         bool
	}{
		{"deposits", "plain", list, "/deposit", upstream.Core, 200, len(body), len(body), false},
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
		{"a body in gzip", "gzip", list, "/deposit", upstream.Core, 200, len(body), len(zipped(t, []byte(body))), false},
		{"a status", "503", list, "/deposit", upstream.Core, 503, 0, 0, true},
		{"what is in the body is not the exchange's", "no JSON", list, "/deposit", upstream.Core, 200, 6, 6, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []client.Exchange
			c := newClient(t, serve(t, answers[tt.answer]).URL, observed(&got))
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
			if e.Start.Before(before) || e.Duration <= 0 || e.Waited < 0 || e.Duration+e.Waited > time.Since(before) {
				t.Errorf("it began %v after the call, waited %v, took %v", e.Start.Sub(before), e.Waited, e.Duration)
			}
		})
	}
}

// A repeated request is one exchange of two attempts; one that got no answer has no status; one that was not made is none.
func TestFailedExchangesAreObserved(t *testing.T) {
	var calls atomic.Int32
	server := serveWire(t, func(w *wire) {
		for {
			if _, err := w.request(); err != nil || calls.Add(1) > 1 {
				return
			}
			_, _ = w.Write([]byte(ok(emptyPage)))
		}
	})
	var got []client.Exchange
	c := newClient(t, server.url, observed(&got))
	first, second := list(context.Background(), c), list(context.Background(), c)
	if first != nil || upstream.KindOf(second) != upstream.KindUnavailable || len(got) != 2 {
		t.Fatalf("%v, %v, %d exchanges", first, second, len(got))
	}
	if e := got[1]; e.Attempt != 2 || e.Status != 0 || !errors.Is(e.Err, second) {
		t.Errorf("exchange = %+v", e)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := list(ctx, c); upstream.KindOf(err) != upstream.KindCanceled {
		t.Errorf("error = %v", err)
	}
	if len(got) != 2 {
		t.Errorf("a call that was not made is an exchange: %+v", got[2])
	}
	for _, e := range got {
		if text := fmt.Sprintf("%+v", e); strings.Contains(text, token) || strings.Contains(text, "127.0.0.1") {
			t.Errorf("%s", text)
		}
	}
}
