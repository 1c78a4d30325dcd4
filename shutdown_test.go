package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream/sandbox"
)

// answer is what an operation of another goroutine came to.
type answer struct {
	body string
	err  error
}

// postHeld sends an operation that runs until release is called, and returns once it runs.
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

// TestDrain: a running operation is answered although the gateway was told to stop, and no new one is taken. Until then
// the gateway is alive, and says that it is not ready.
func TestDrain(t *testing.T) {
	box := newSandbox(t)
	r := launch(t, overSandbox(box)...)
	waitFor(t, func() bool {
		status, _ := fetch(t, "http://"+r.at.admin+"/readyz")
		return status == http.StatusOK
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
	if status, body := fetch(t, "http://"+r.at.admin+"/readyz"); status != http.StatusServiceUnavailable || body != "draining\n" {
		t.Errorf("/readyz answered %d %q while it drained", status, body)
	}
	if status, _ := fetch(t, "http://"+r.at.admin+"/healthz"); status != http.StatusOK {
		t.Errorf("/healthz answered %d while it drained", status)
	}
	release()
	if got := <-answered; got.err != nil || !strings.Contains(got.body, `"totalCount":50`) {
		t.Errorf("the running operation was answered %q, %v", got.body, got.err)
	}
	err := <-r.done
	r.done <- err
	if err != nil {
		t.Errorf("run ended with %v", err)
	}
	if !strings.Contains(r.stderr.String(), `"msg":"stopped"`) {
		t.Errorf("log: %s", r.stderr)
	}
}

// TestShutdownDelay: until shutdown_delay is over a gateway that was told to stop says that it is not ready, and answers
// whoever has not seen that yet, on connections that it then ends.
func TestShutdownDelay(t *testing.T) {
	box := newSandbox(t)
	over := make(chan time.Time)
	r := launchWith(t, over, overSandbox(box)...)
	ask := func() *http.Response {
		t.Helper()
		resp, err := r.post(box.Token(), "{ deposits { totalCount } }")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), `"totalCount":50`) {
			t.Fatalf("answered %q, %v", body, err)
		}
		return resp
	}
	if ask().Close {
		t.Error("a connection was ended by a gateway that nobody stops")
	}
	r.stop()
	waitFor(t, func() bool {
		status, _ := fetch(t, "http://"+r.at.admin+"/readyz")
		return status == http.StatusServiceUnavailable
	})
	for range 3 {
		if !ask().Close {
			t.Error("a connection goes on while the gateway drains")
		}
	}
	close(over)
	err := <-r.done
	r.done <- err
	if err != nil || !strings.Contains(r.stderr.String(), `"msg":"draining","delay":"5s"`) {
		t.Errorf("run ended with %v; log: %s", err, r.stderr)
	}
}

// TestForcedShutdown: an operation that does not end in time is cut off, and the end of the process says so.
func TestForcedShutdown(t *testing.T) {
	box := newSandbox(t)
	r := launch(t, append(overSandbox(box), "--shutdown-timeout=20ms")...)
	answered, release := postHeld(t, r, box)
	defer release()
	r.stop()
	err := <-r.done
	r.done <- nil // what launch waits for
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "shutdown: operations still ran after 20ms") {
		t.Errorf("run ended with %v", err)
	}
	if got := <-answered; got.err == nil {
		t.Errorf("the operation was answered %q", got.body)
	}
	if strings.Contains(r.stderr.String(), `"msg":"stopped"`) {
		t.Errorf("log: %s", r.stderr)
	}
}
