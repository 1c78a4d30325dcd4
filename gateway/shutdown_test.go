package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

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
	body, err := json.Marshal(map[string]string{"query": document})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, r.URL+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
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

// TestDrain: a gateway that is stopped finishes running operations and accepts no new ones. While it drains it is alive,
// and not ready.
func TestDrain(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	r := launch(t, gatewaytest.Flags(box)...)
	waitFor(t, func() bool {
		return r.admin.Get("/readyz").Status == http.StatusOK
	})
	answered, release := postHeld(t, r, box)
	r.stop()
	waitFor(t, func() bool {
		conn, err := net.Dial("tcp", r.at.public)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	if ready := r.admin.Get("/readyz"); ready.Status != http.StatusServiceUnavailable || string(ready.Body) != "draining\n" {
		t.Errorf("/readyz returned %d %q while draining", ready.Status, ready.Body)
	}
	if status := r.admin.Get("/healthz").Status; status != http.StatusOK {
		t.Errorf("/healthz returned %d while draining", status)
	}
	release()
	if got := <-answered; got.err != nil || !strings.Contains(got.body, `"totalCount":50`) {
		t.Errorf("the response to the running operation is %q, %v", got.body, got.err)
	}
	if err := r.wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
	if !strings.Contains(r.stderr.String(), `"msg":"stopped"`) {
		t.Errorf("log: %s", r.stderr)
	}
}

// TestShutdownDelay: during shutdown_delay a stopped gateway is not ready, and still serves requests. Their responses
// close the connection.
func TestShutdownDelay(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	over := make(chan time.Time)
	r := launchWith(t, over, gatewaytest.Flags(box)...)
	ask := func() *http.Response {
		t.Helper()
		resp, err := r.post(box.Token(), "{ deposits { totalCount } }")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), `"totalCount":50`) {
			t.Fatalf("response %q, %v", body, err)
		}
		return resp
	}
	if ask().Close {
		t.Error("a running gateway closed a connection")
	}
	r.stop()
	waitFor(t, func() bool {
		return r.admin.Get("/readyz").Status == http.StatusServiceUnavailable
	})
	for range 3 {
		if !ask().Close {
			t.Error("a draining gateway kept a connection open")
		}
	}
	close(over)
	if err := r.wait(); err != nil || !strings.Contains(r.stderr.String(), `"msg":"draining","delay":"5s"`) {
		t.Errorf("run ended with %v; log: %s", err, r.stderr)
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
