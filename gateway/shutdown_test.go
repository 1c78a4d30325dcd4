package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"pixgraph/graph/transport"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox"
)

// answer is the result of an operation in another goroutine.
type answer struct {
	body string
	err  error
}

// post sends an operation, which may fail.
func (r *running) post(token, document string) (*http.Response, error) {
	req := r.request(http.MethodPost, "/graphql", fmt.Sprintf(`{"query":%q}`, document))
	req.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultClient.Do(req)
}

// postHeld starts an operation that runs until release is called, and returns while it runs.
func postHeld(t *testing.T, r *running, box *sandbox.Sandbox) (answered <-chan answer, release func()) {
	t.Helper()
	gate := make(chan struct{})
	box.Inject(sandbox.Fault{Gate: gate})
	answers := make(chan answer, 1)
	go func() {
		resp, err := r.post(box.Token(), "{ deposits { totalCount } }")
		if err != nil {
			answers <- answer{"", err}
			return
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		answers <- answer{string(body), err}
	}()
	if err := box.AwaitCalls(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	return answers, func() { close(gate) }
}

// eachProtocol runs a test with a gateway and a client of each version of HTTP.
func eachProtocol(t *testing.T, test func(t *testing.T, http2 bool)) {
	t.Helper()
	t.Run("HTTP/1.1", func(t *testing.T) { test(t, false) })
	t.Run("HTTP/2", func(t *testing.T) { test(t, true) })
}

// awaitRefusal waits until an address accepts no connections.
func awaitRefusal(t *testing.T, address string) {
	t.Helper()
	waitFor(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
}

// TestDrain: a gateway that is stopped finishes running operations and accepts no new ones. While it drains it is
// alive, and not ready. Streams end, not as complete, so that their clients subscribe again. No goroutine is left.
func TestDrain(t *testing.T) {
	eachProtocol(t, func(t *testing.T, http2 bool) {
		before := goleak.IgnoreCurrent()
		s := launchSecured(t, "--live-heartbeat=50ms")
		client := s.client(t, http2, nil)
		var begun []*opened
		for range 30 {
			stream := s.openStream(t, client, acceptSSE, s.box.Samples().OpenTransaction)
			stream.until(`"reason":"SNAPSHOT"`)
			begun = append(begun, stream)
		}
		held := make(chan gatewaytest.Response, 1)
		s.box.ResetCalls()
		gate := make(chan struct{})
		s.box.Inject(sandbox.Fault{Gate: gate})
		go func() { held <- s.as(client).Query("{ deposits { totalCount } }") }()
		if err := s.box.AwaitCalls(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		s.stop()
		awaitRefusal(t, s.at.public)
		if ready := s.admin.Get("/readyz"); ready.Status != http.StatusServiceUnavailable || string(ready.Body) != "draining\n" {
			t.Errorf("/readyz returned %d %q while draining", ready.Status, ready.Body)
		}
		if status := s.admin.Get("/healthz").Status; status != http.StatusOK {
			t.Errorf("/healthz returned %d while draining", status)
		}
		for _, stream := range begun {
			if rest, err := io.ReadAll(stream.lines); err == nil && http2 || strings.Contains(string(rest), "complete") {
				t.Errorf("a stream ends as if it were complete: %q, %v", rest, err)
			}
		}
		close(gate)
		(<-held).WantOK()
		if err := s.wait(); err != nil || !strings.Contains(s.stderr.String(), `"msg":"stopped"`) {
			t.Errorf("serve ended with %v; log: %s", err, s.stderr)
		}
		client.CloseIdleConnections()
		http.DefaultClient.CloseIdleConnections()
		s.box.Close()
		goleak.VerifyNone(t, before)
	})
}

// TestShutdownDelay: during shutdown_delay a stopped gateway is not ready, and still serves requests. Each
// response asks its client for a new connection, which a load balancer sends elsewhere.
func TestShutdownDelay(t *testing.T) {
	eachProtocol(t, func(t *testing.T, http2 bool) {
		s := launchSecured(t, "--shutdown-delay=1h")
		s.HTTP = s.client(t, http2, nil)
		var reused atomic.Int64
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if info.Reused {
				reused.Add(1)
			}
		}}
		request := func() {
			t.Helper()
			req := s.request(http.MethodGet, "/schema.graphql", "")
			if resp := s.Send(req.WithContext(httptrace.WithClientTrace(t.Context(), trace)), nil); resp.Status != http.StatusOK {
				t.Fatalf("status %d", resp.Status)
			}
		}
		for range 10 {
			request()
		}
		if reused.Load() != 9 {
			t.Errorf("%d requests of 10 used an open connection", reused.Load())
		}
		s.stop()
		waitFor(t, func() bool { return s.admin.Get("/readyz").Status == http.StatusServiceUnavailable })
		request()
		reused.Store(0)
		waitFor(t, func() bool { request(); return reused.Swap(0) == 0 })
		close(s.over)
		if err := s.wait(); err != nil || !strings.Contains(s.stderr.String(), `"msg":"draining","delay":"1h0m0s"`) {
			t.Errorf("serve ended with %v; log: %s", err, s.stderr)
		}
	})
}

// TestDownloadsDrain: a gateway that is stopped finishes a download that has more pages to read.
func TestDownloadsDrain(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	r := launch(t, gatewaytest.Flags(box, "--shutdown-timeout=1h")...)
	gate := make(chan struct{})
	box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, After: 1, Gate: gate})
	req := r.request(http.MethodPost, "/graphql", `{"query":"{ deposits(perPage: 5) { nodes { id } } }"}`)
	req.Header.Set("Authorization", "Bearer "+box.Token())
	req.Header.Set("Accept", "text/csv")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := box.AwaitCalls(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	r.stop()
	awaitRefusal(t, r.at.public)
	close(gate)
	file, err := io.ReadAll(resp.Body)
	if err != nil || resp.Trailer.Get(transport.HeaderComplete) != "true" {
		t.Errorf("%d lines, %v, trailer %v", strings.Count(string(file), "\n"), err, resp.Trailer)
	}
	if err := r.wait(); err != nil {
		t.Error(err)
	}
}

// TestForcedShutdown: an operation that exceeds shutdown_timeout is aborted, and run returns an error.
func TestForcedShutdown(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	r := launch(t, gatewaytest.Flags(box, "--shutdown-timeout=20ms")...)
	answered, release := postHeld(t, r, box)
	defer release()
	r.stop()
	err := r.wait()
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "shutdown: operations still ran after 20ms") {
		t.Errorf("run ended with %v", err)
	}
	if got := <-answered; got.err == nil {
		t.Errorf("the operation has the response %q", got.body)
	}
	if strings.Contains(r.stderr.String(), `"msg":"stopped"`) {
		t.Errorf("log: %s", r.stderr)
	}
}
