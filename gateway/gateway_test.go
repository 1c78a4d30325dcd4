package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"pixgraph/test/gatewaytest"
)

// running is a gateway that was started with run, as in main.
type running struct {
	gatewaytest.Client // of the public address, without a token
	admin              gatewaytest.Client
	at                 addresses
	stdout, stderr     *gatewaytest.Log
	stop               context.CancelFunc
	done               chan error
}

// launch starts a gateway on free ports with additional flags. It drains without delay.
func launch(t *testing.T, flags ...string) *running {
	t.Helper()
	return launchWith(t, nil, append([]string{"--shutdown-delay=0s"}, flags...)...)
}

// launchWith starts a gateway whose shutdown_delay ends when the channel receives.
func launchWith(t *testing.T, delayed <-chan time.Time, flags ...string) *running {
	t.Helper()
	after := func(time.Duration) <-chan time.Time { return delayed }
	return launchAs(t, Process{after: after, cacheDir: t.TempDir()}, flags...)
}

// launchAs starts a gateway in a process whose arguments and outputs the function sets.
func launchAs(t *testing.T, p Process, flags ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r := &running{stdout: &gatewaytest.Log{}, stderr: &gatewaytest.Log{}, stop: stop, done: make(chan error, 1)}
	started := make(chan addresses, 1)
	p.args, p.environ = flags, append(p.environ, "PIXGRAPH_LISTEN=127.0.0.1:0", "PIXGRAPH_ADMIN_LISTEN=127.0.0.1:0")
	p.stdout, p.stderr, p.started = r.stdout, r.stderr, func(at addresses) { started <- at }
	go func() { r.done <- serve(ctx, p) }()
	t.Cleanup(func() {
		stop()
		if err := <-r.done; err != nil && !t.Failed() {
			t.Errorf("run ended with %v", err)
		}
	})
	select {
	case r.at = <-started:
	case err := <-r.done:
		r.done <- err
		t.Fatalf("run did not start: %v\n%s", err, r.stderr)
	}
	r.Client = gatewaytest.Client{T: t, URL: "http://" + r.at.public}
	r.admin = gatewaytest.Client{T: t, URL: "http://" + r.at.admin}
	return r
}

// TestConsoleOff: the setting removes the console.
func TestConsoleOff(t *testing.T) {
	r := launch(t, gatewaytest.Flags(gatewaytest.NewSandbox(t), "--console=off")...)
	if status := r.Get("/").Status; status != http.StatusNotFound {
		t.Errorf("/ returned %d", status)
	}
}

// TestMissingSettings: one warning at startup names the settings that features need, if any is not set.
func TestMissingSettings(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	tests := []struct {
		name  string
		flags []string
		want  []string
	}{
		{
			"only URLs", []string{"--core-url=" + box.CoreURL(), "--dispatcher-url=" + box.DispatcherURL(), "--auth-mode=forward"},
			[]string{"paging_page_param", "paging_per_page_param", "links_metadata_pointer", "trace"},
		},
		{"all but one", gatewaytest.Flags(box), []string{"trace"}},
		{"all", gatewaytest.Flags(box, "--trace=off"), nil},
		{"sandbox", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := launch(t, tt.flags...)
			var warnings []map[string]string
			for line := range strings.Lines(r.stderr.String()) {
				var entry map[string]any
				if err := json.Unmarshal([]byte(line), &entry); err != nil || entry["level"] != "WARN" {
					continue
				}
				warning := map[string]string{}
				for key, value := range entry {
					warning[key] = fmt.Sprint(value)
				}
				warnings = append(warnings, warning)
			}
			if len(warnings) != min(len(tt.want), 1) {
				t.Fatalf("warnings %v, want %v", warnings, tt.want)
			}
			for _, key := range tt.want {
				if warnings[0][key] == "" || len(warnings[0]) != len(tt.want)+len([]string{"time", "level", "msg"}) {
					t.Errorf("warning %v, want %v", warnings[0], tt.want)
				}
			}
		})
	}
}

// TestHealth: a gateway that waits for its issuer's keys is alive but not ready.
func TestHealth(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	box.Issuer().SetDown(true)
	r := launch(t, gatewaytest.Flags(box)...)
	if status := r.admin.Get("/healthz").Status; status != http.StatusOK {
		t.Errorf("/healthz returned %d", status)
	}
	if status := r.admin.Get("/readyz").Status; status != http.StatusServiceUnavailable {
		t.Errorf("/readyz returned %d without the issuer's keys", status)
	}
	ready := launch(t, gatewaytest.Flags(gatewaytest.NewSandbox(t))...)
	waitFor(t, func() bool {
		return ready.admin.Get("/readyz").Status == http.StatusOK
	})
}

// waitFor polls until the condition is true, and fails the test after two minutes.
func waitFor(t testing.TB, condition func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the condition is still false")
		}
	}
}

// TestStartupLine: the startup log line has the effective settings by their keys.
func TestStartupLine(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	r := launch(t, gatewaytest.Flags(box, "--upstream-timeout=3s")...)
	var line struct {
		Msg      string
		Settings map[string]string
	}
	for text := range strings.Lines(r.stderr.String()) {
		if strings.Contains(text, `"serving"`) {
			if err := json.Unmarshal([]byte(text), &line); err != nil {
				t.Fatal(err)
			}
		}
	}
	if line.Settings["upstream_timeout"] != "3s" || line.Settings["core_url"] != box.CoreURL() || line.Settings["auth_mode"] != "oidc" {
		t.Errorf("settings: %v", line.Settings)
	}
}

// TestOperationTimeout: an operation that exceeds its timeout gets a response with an error of its field.
func TestOperationTimeout(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	const longest = 50 * time.Second // the timeout of a call
	r := launch(t, gatewaytest.Flags(box, "--operation-timeout=3s", "--upstream-timeout="+longest.String())...)
	answered, release := postHeld(t, r, box)
	defer release()
	began := time.Now()
	if got := <-answered; got.err != nil || !strings.Contains(got.body, `"UPSTREAM_TIMEOUT"`) || !strings.Contains(got.body, `"data":{"deposits":null}`) {
		t.Errorf("response %q, %v", got.body, got.err)
	}
	if waited := time.Since(began); waited >= longest { // the call's timeout ended it
		t.Errorf("response after %s", waited)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
