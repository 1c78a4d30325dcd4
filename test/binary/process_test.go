package binary

import (
	"strings"
	"testing"

	"pixgraph/internal/process"
	"pixgraph/test/gatewaytest"
)

// TestProcess: package process configures, measures and stops the binary. The variables of settings of this process do
// not reach it.
func TestProcess(t *testing.T) {
	notShort(t)
	t.Setenv("PIXGRAPH_UPSTREAM_TIMEOUT", "nonsense")
	log := &gatewaytest.Log{}
	p, err := process.Start(t.Context(), process.Config{
		Name: "gateway", Binary: binary, Args: []string{"--listen=127.0.0.1:0"}, Env: []string{"PIXGRAPH_ADMIN_LISTEN=127.0.0.2:0"}, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(p.Address, "127.0.0.1:") || !strings.HasPrefix(p.Admin, "127.0.0.2:") || !strings.Contains(log.String(), `"serving"`) {
		t.Errorf("addresses %s and %s, log %s", p.Address, p.Admin, log)
	}
	if u, err := p.Usage(); err != nil || u.RSS < 1<<20 || u.Peak < u.RSS || u.Files < 3 || u.CPU < 0 {
		t.Errorf("usage %+v, %v", u, err)
	}
	if err := p.ResetPeak(); err != nil {
		t.Error(err)
	}
	if value, err := p.Metric(t.Context(), "pixgraph_http_requests_in_flight"); value != 0 || err != nil {
		t.Errorf("%v requests: %v", value, err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if u, err := p.Usage(); err == nil {
		t.Errorf("usage %+v of a process that has ended", u)
	}
}

// TestProcessThatDoesNotServe: the error has the last line of the process.
func TestProcessThatDoesNotServe(t *testing.T) {
	notShort(t)
	_, err := process.Start(t.Context(), process.Config{Name: "gateway", Binary: binary, Args: []string{"--nonsense"}})
	if err == nil || !strings.Contains(err.Error(), "nonsense") || !strings.Contains(err.Error(), "exit status") {
		t.Error(err)
	}
	if _, err := process.Start(t.Context(), process.Config{Name: "gateway", Binary: "/nothing"}); err == nil {
		t.Error("a binary that does not exist was started")
	}
}
