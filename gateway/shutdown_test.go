package gateway_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/sandbox"
	"pixgraph/serve/transport"
	"pixgraph/test/gatewaytest"
	"pixgraph/test/replica"
)

// hold starts an operation that runs until release is called, and returns while it runs.
func hold(client gatewaytest.Client, box *replica.Sandbox) (held <-chan gatewaytest.Response, release func()) {
	gate := make(chan struct{})
	box.Inject(sandbox.Fault{Gate: gate})
	responses := make(chan gatewaytest.Response, 1)
	go func() { responses <- client.QueryAs(box.Token(), "{ deposits { totalCount } }") }()
	synctest.Wait()
	return responses, func() { close(gate) }
}

// eachProtocol runs a test in a bubble with a gateway and a client of each version of HTTP.
func eachProtocol(t *testing.T, test func(t *testing.T, http2 bool)) {
	t.Helper()
	t.Run("HTTP/1.1", func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, false) }) })
	t.Run("HTTP/2", func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, true) }) })
}

// wantRefused fails the test if a gateway accepts a connection.
func wantRefused(t *testing.T, r *replica.Replica) {
	t.Helper()
	if _, err := r.Network.DialContext(t.Context(), "tcp", r.Address()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a connection to a gateway that drains: %v", err)
	}
}

// wantStopped waits until a gateway has ended, without an error.
func wantStopped(t *testing.T, r *replica.Replica) {
	t.Helper()
	if code := r.Wait(); code != 0 || !strings.Contains(r.Stderr.String(), `"msg":"stopped"`) {
		t.Errorf("exit code %d: %s", code, r.Stderr)
	}
}

// TestDrain: a gateway that is stopped finishes running operations and accepts no new ones. While it drains it is
// alive, and not ready. Streams end, not as complete, so that their clients subscribe again. No goroutine is left.
func TestDrain(t *testing.T) {
	eachProtocol(t, func(t *testing.T, http2 bool) {
		s := startSecured(t, "--shutdown-delay=0s")
		client := s.as(s.client(t, http2, nil))
		var begun []*opened
		for range 30 {
			stream := s.openStream(client, acceptSSE, s.box.Samples().OpenTransaction)
			stream.until(`"reason":"SNAPSHOT"`)
			begun = append(begun, stream)
		}
		held, release := hold(client, s.box)
		s.Stop()
		synctest.Wait()
		wantRefused(t, s.Replica)
		if ready := s.Admin.Get("/readyz"); ready.Status != http.StatusServiceUnavailable || string(ready.Body) != "draining\n" {
			t.Errorf("/readyz returned %d %q while draining", ready.Status, ready.Body)
		}
		if status := s.Admin.Get("/healthz").Status; status != http.StatusOK {
			t.Errorf("/healthz returned %d while draining", status)
		}
		for _, stream := range begun {
			if rest, err := io.ReadAll(stream.lines); err == nil && http2 || strings.Contains(string(rest), "complete") {
				t.Errorf("a stream ends as if it were complete: %q, %v", rest, err)
			}
		}
		release()
		(<-held).WantOK()
		wantStopped(t, s.Replica)
	})
}

// TestShutdownDelay: during shutdown_delay a stopped gateway is not ready, and still serves requests. Each
// response asks its client for a new connection, which a load balancer sends elsewhere.
func TestShutdownDelay(t *testing.T) {
	eachProtocol(t, func(t *testing.T, http2 bool) {
		s := startSecured(t, "--shutdown-delay=1h")
		client := s.as(s.client(t, http2, nil))
		reused := 0
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if info.Reused {
				reused++
			}
		}}
		request := func() {
			t.Helper()
			req := s.Request(http.MethodGet, "/schema.graphql", "")
			if resp := client.Send(req.WithContext(httptrace.WithClientTrace(t.Context(), trace)), nil); resp.Status != http.StatusOK {
				t.Fatalf("status %d", resp.Status)
			}
			synctest.Wait() // until a connection that ends is closed
		}
		for range 10 {
			request()
		}
		if reused != 9 {
			t.Errorf("%d requests of 10 used an open connection", reused)
		}
		stopped := time.Now()
		s.Stop()
		synctest.Wait()
		if status := s.Admin.Get("/readyz").Status; status != http.StatusServiceUnavailable {
			t.Errorf("/readyz returned %d during shutdown_delay", status)
		}
		request()
		for reused = 0; time.Since(stopped) < 59*time.Minute; time.Sleep(10 * time.Minute) {
			request()
		}
		if reused != 0 {
			t.Errorf("%d requests during shutdown_delay used an open connection", reused)
		}
		wantStopped(t, s.Replica)
		if waited := time.Since(stopped); waited < time.Hour || waited > time.Hour+time.Second {
			t.Errorf("it ended after %s", waited)
		}
		if log := s.Stderr.String(); !strings.Contains(log, `"msg":"draining","delay":"1h0m0s"`) {
			t.Errorf("the log is %s", log)
		}
	})
}

// TestDownloadsDrain: a gateway that is stopped finishes a download that has more pages to read.
func TestDownloadsDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := replica.NewSandbox(t)
		r := box.Start(t, "--shutdown-delay=0s", "--shutdown-timeout=1h")
		gate := make(chan struct{})
		box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, After: 1, Gate: gate})
		resp := r.OpenAs(box.Token(), "text/csv", "{ deposits(perPage: 5) { nodes { id } } }")
		synctest.Wait()
		r.Stop()
		synctest.Wait()
		wantRefused(t, r)
		close(gate)
		file, err := io.ReadAll(resp.Body)
		if err != nil || resp.Trailer.Get(transport.HeaderComplete) != "true" {
			t.Errorf("%d lines, %v, trailer %v", strings.Count(string(file), "\n"), err, resp.Trailer)
		}
		wantStopped(t, r)
	})
}

// TestForcedShutdown: an operation that exceeds shutdown_timeout is aborted, and the exit code says so.
func TestForcedShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := replica.NewSandbox(t)
		r := box.Start(t, "--shutdown-delay=0s", "--shutdown-timeout=20ms")
		box.Inject(sandbox.Fault{Kind: sandbox.FaultHang})
		ended := make(chan error, 1)
		go func() {
			req := r.Request(http.MethodPost, "/graphql", `{"query":"{ deposits { totalCount } }"}`)
			req.Header.Set("Authorization", "Bearer "+box.Token())
			resp, err := r.HTTP.Do(req)
			if err == nil {
				_ = resp.Body.Close()
				err = errors.New(resp.Status)
			}
			ended <- err
		}()
		synctest.Wait()
		r.Stop()
		if code := r.Wait(); code != 1 || !strings.Contains(r.Stderr.String(), "pixgraph: shutdown: operations still ran after 20ms") {
			t.Errorf("exit code %d: %s", code, r.Stderr)
		}
		if err := <-ended; !errors.Is(err, io.EOF) {
			t.Errorf("the operation ended with %v", err)
		}
		if strings.Contains(r.Stderr.String(), `"msg":"stopped"`) {
			t.Errorf("log: %s", r.Stderr)
		}
	})
}

// TestStreamsDrain: a gateway that is stopped ends its streams during shutdown_delay, while it still serves queries. It
// rejects new ones. Each end is logged.
func TestStreamsDrain(t *testing.T) {
	const streams = 300
	synctest.Test(t, func(t *testing.T) {
		box := replica.NewSandbox(t)
		r := box.Start(t, "--shutdown-delay=20s")
		document := `subscription Waiting { transaction(id: "` + box.Samples().OpenTransaction + `") { status } }`
		ended := make(chan string, streams)
		for range streams {
			resp := r.OpenAs(box.Token(), acceptSSE, document)
			go func() {
				body, _ := io.ReadAll(resp.Body) // the connection ends
				ended <- string(body)
			}()
		}
		r.Stop()
		time.Sleep(10 * time.Second)
		r.QueryAs(box.Token(), "{ deposits { totalCount } }").WantOK()
		resp := r.OpenAs(box.Token(), acceptSSE, document)
		if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), `"OVERLOADED"`) {
			t.Errorf("a new stream has %d %s", resp.StatusCode, body)
		}
		if n := len(ended); n < streams/4 || n > streams*3/4 {
			t.Errorf("%d streams ended in half of shutdown_delay", n)
		}
		wantStopped(t, r)
		for range streams {
			if body := <-ended; strings.Contains(body, "event: complete") {
				t.Fatalf("a drained stream has %q", body)
			}
		}
		if n := strings.Count(r.Stderr.String(), `"msg":"stream"`); n < 100 || n > streams { // a caller has 100 lines in a second
			t.Errorf("%d ends of streams are logged", n)
		}
		if !strings.Contains(r.Stderr.String(), `"name":"Waiting","protocol":"sse","reason":"drain"`) {
			t.Error("the log lacks the reason of the ends")
		}
	})
}
