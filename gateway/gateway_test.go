package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
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

// TestInvalidSettings: the error names the invalid setting and what it accepts.
func TestInvalidSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pixgraph.yaml")
	if err := os.WriteFile(file, []byte("upstream:\n  timeuot: 3s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	core, dispatcher := "--core-url=http://127.0.0.1:1", "--dispatcher-url=http://127.0.0.1:2"
	tests := []struct {
		name     string
		flags    []string
		contains []string
	}{
		{"an unknown flag", []string{"--upstream-timeuot=3s"}, []string{"unknown flag --upstream-timeuot (did you mean --upstream-timeout?)"}},
		{"an unknown key in the file", []string{"--config=" + file}, []string{"unknown config key upstream_timeuot (did you mean upstream_timeout?)"}},
		{"no such file", []string{"--config=" + file + "x"}, []string{"config"}},
		{"an invalid duration", []string{"--upstream-timeout=soon"}, []string{"upstream_timeout", "duration"}},
		{"an invalid choice", []string{"--auth-mode=none"}, []string{"auth_mode", "oidc or forward"}},
		{"one URL of two", []string{core}, []string{"core_url", "dispatcher_url"}},
		{"a relative URL", []string{"--core-url=/core", dispatcher}, []string{"core_url", "http"}},
		{"a URL with a password", []string{"--core-url=http://a:s3cret@127.0.0.1:1", dispatcher}, []string{"core_url"}},
		{"an issuer and the sandbox", []string{"--auth-issuer=https://issuer.example.com", "--auth-audience=a"}, []string{"auth_issuer", "core_url"}},
		{"the sandbox's name of the other parameter", []string{"--paging-page-param=perPage"}, []string{"paging_page_param", "paging_per_page_param"}},
		{"an issuer with a password", []string{core, dispatcher, "--auth-issuer=https://a:s3cret@issuer.example.com", "--auth-audience=a"}, []string{"auth_issuer"}},
		{"no issuer", []string{core, dispatcher}, []string{"auth_issuer", "forward"}},
		{"no audience", []string{core, dispatcher, "--auth-issuer=https://issuer.example.com"}, []string{"auth_audience"}},
		{"an issuer without TLS", []string{core, dispatcher, "--auth-issuer=http://issuer.example.com", "--auth-audience=a"}, []string{"auth_issuer", "https"}},
		{"a weak algorithm", []string{
			core, dispatcher, "--auth-issuer=https://issuer.example.com", "--auth-audience=a", "--auth-algorithms=HS256",
		}, []string{"auth_algorithms"}},
		{"a console issuer and the sandbox", []string{"--console-issuer=https://issuer.example.com"}, []string{"console_issuer", "sandbox"}},
		{"a console client and no issuer", []string{
			core, dispatcher, "--auth-mode=forward", "--console-client-id=a",
		}, []string{"console_client_id", "console_issuer"}},
		{"a console issuer that is not accepted", []string{
			core, dispatcher, "--auth-issuer=https://issuer.example.com", "--auth-audience=a", "--console-issuer=https://other.example.com",
		}, []string{"console_issuer", "auth_issuer"}},
		{"an invalid trace", []string{"--trace=maybe"}, []string{"trace", "on or off"}},
		{"an invalid address", []string{"--listen=8080"}, []string{"listen", "127.0.0.1:8080"}},
		{"an invalid pointer", []string{"--links-metadata-pointer=ids"}, []string{"links_metadata_pointer", "JSON Pointer"}},
		{"not a flag", []string{"s3cret"}, []string{"not a flag", "--name=value"}},
		{"a flag without value", []string{"--core-url"}, []string{"core_url"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := serve(t.Context(), Process{args: tt.flags, stdout: io.Discard, stderr: io.Discard, started: func(addresses) {
				t.Error("the gateway started")
			}})
			if err == nil {
				t.Fatal("no error")
			}
			for _, text := range tt.contains {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%q does not contain %q", err, text)
				}
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%q contains a password", err)
			}
		})
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
