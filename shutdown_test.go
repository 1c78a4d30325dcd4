package main

import (
	"io"
	"net"
	"strings"
	"testing"

	"pixgraph/upstream/sandbox"
)

// TestDrain: a running operation is answered although the gateway was told to stop, and no new one is taken.
func TestDrain(t *testing.T) {
	box := newSandbox(t)
	r := launch(t, overSandbox(box)...)
	gate := make(chan struct{})
	box.Inject(sandbox.Fault{Gate: gate})
	type result struct {
		body string
		err  error
	}
	answered := make(chan result, 1)
	go func() {
		resp, err := r.post(box.Token(), "{ deposits { totalCount } }")
		if err != nil {
			answered <- result{"", err}
			return
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		answered <- result{string(body), err}
	}()
	if err := box.AwaitCalls(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	r.stop()
	waitFor(t, func() bool {
		conn, err := net.Dial("tcp", r.at.public)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	close(gate)
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
