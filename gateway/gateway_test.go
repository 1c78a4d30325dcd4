package gateway

import (
	"context"
	"net/http"
	"os"
	"regexp"
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

// wait waits until a gateway that was stopped has ended.
func (r *running) wait() error {
	err := <-r.done
	r.done <- nil // for the cleanup
	return err
}

// end stops a gateway and waits until it has ended.
func (r *running) end() {
	r.T.Helper()
	r.stop()
	if err := r.wait(); err != nil {
		r.T.Fatalf("serve ended with %v", err)
	}
}

// request is a request to the public address, with a body of JSON and without a token.
func (r *running) request(method, target, body string) *http.Request {
	r.T.Helper()
	req, err := http.NewRequestWithContext(context.WithoutCancel(r.T.Context()), method, r.URL+target, strings.NewReader(body))
	if err != nil {
		r.T.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return req
}

// TestStartup: the line at the start has the effective settings, of which some are lower in a container with little
// memory. A warning names settings that features need, and limits for which the process has too few files or too little
// memory.
func TestStartup(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	const filesWarning = `"the limit of open files is too low for limits_connections","limit":25575,"needed":25576`
	const memoryWarning = `"the memory limit of the container is too low for limits_memory and live_streams","limit":268435456,"needed":469696512`
	complete := gatewaytest.Flags(box, "--trace=off")
	tests := []struct {
		name    string
		process Process
		flags   []string
		has     []string // of the settings
		warning string   // a part of the only one
		more    int      // further warnings
	}{
		{name: "all settings", flags: complete, has: []string{`"auth_mode":"oidc"`, `"limits_memory":"192MiB"`, `"live_streams":"20000"`, box.CoreURL()}},
		{name: "sandbox", has: []string{`"trace":"on"`}},
		{name: "a given setting", flags: append(complete, "--upstream-timeout=3s"), has: []string{`"upstream_timeout":"3s"`}},
		{name: "all but one", flags: gatewaytest.Flags(box), warning: `are not set","trace":"clients`},
		{
			name: "only URLs", flags: []string{"--core-url=" + box.CoreURL(), "--dispatcher-url=" + box.DispatcherURL(), "--auth-mode=forward"},
			warning: `are not set","paging_page_param":"[^"]+","paging_per_page_param":"[^"]+","links_metadata_pointer":"[^"]+","trace":"`,
			more:    1, // about the mode
			has:     []string{"auth_mode is forward: the gateway verifies no tokens", "introspection=off"},
		},
		{name: "enough files", process: Process{openFiles: 25_576}, flags: complete},
		{name: "few files", process: Process{openFiles: 1024}, flags: complete, has: []string{`"limits_connections":"448"`, `"live_streams":"358"`}},
		{
			name: "fewer files than set", process: Process{openFiles: 25_575}, flags: append(complete, "--limits-connections=25000"),
			warning: filesWarning,
		},
		{
			name: "a small container", process: Process{memory: 256 << 20}, flags: complete,
			has: []string{`"limits_memory":"49MiB"`, `"live_streams":"5116"`, `"limits_connections":"6395"`},
		},
		{
			name: "limits that do not fit", process: Process{memory: 256 << 20}, flags: append(complete, "--limits-memory=192MiB"),
			has: []string{`"limits_memory":"192MiB"`}, warning: memoryWarning,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.process.cacheDir = t.TempDir()
			log := launchAs(t, tt.process, append(tt.flags, "--shutdown-delay=0s")...).stderr.String()
			for _, text := range tt.has {
				if !strings.Contains(log, text) {
					t.Errorf("%s is not in %s", text, log)
				}
			}
			if n := strings.Count(log, `"level":"WARN"`); n != min(len(tt.warning), 1)+tt.more || !regexp.MustCompile(tt.warning).MatchString(log) {
				t.Errorf("%d warnings, want %s in %s", n, tt.warning, log)
			}
		})
	}
	if files := maxOpenFiles(); files < 10 {
		t.Errorf("this process may open %d files", files)
	}
}

// TestAdmin: a gateway that waits for its issuer's keys is alive but not ready. Profiles are served if the setting is
// on. The public address has nothing of this.
func TestAdmin(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	box.Issuer().SetDown(true)
	r := launch(t, gatewaytest.Flags(box)...)
	ready := launch(t, gatewaytest.Flags(gatewaytest.NewSandbox(t), "--profiling=on")...)
	waitFor(t, func() bool { return ready.admin.Get("/readyz").Status == http.StatusOK })
	for path, statuses := range map[string][2]int{
		"/healthz": {http.StatusOK, http.StatusOK}, "/readyz": {http.StatusServiceUnavailable, http.StatusOK}, "/metrics": {http.StatusOK, http.StatusOK},
		"/debug/pprof/": {http.StatusNotFound, http.StatusOK}, "/debug/pprof/goroutine?debug=1": {http.StatusNotFound, http.StatusOK},
	} {
		for i, each := range []*running{r, ready} {
			if status := each.admin.Get(path).Status; status != statuses[i] {
				t.Errorf("%s returned %d, want %d", path, status, statuses[i])
			}
			if status := each.Get(path).Status; status != http.StatusNotFound {
				t.Errorf("the public address returned %d for %s", status, path)
			}
		}
	}
}

// TestReadyWithoutAnIssuer: a gateway that lacks the keys of one issuer serves the callers of the others.
func TestReadyWithoutAnIssuer(t *testing.T) {
	box, down := gatewaytest.NewSandbox(t), gatewaytest.NewSandbox(t)
	down.Issuer().SetDown(true)
	r := launch(t, gatewaytest.Flags(box, "--auth-issuer="+box.IssuerURL()+","+down.IssuerURL())...)
	want := "ok\nno keys yet of issuer " + down.IssuerURL() + "\n"
	waitFor(t, func() bool { return string(r.admin.Get("/readyz").Body) == want })
	r.Token = box.Token()
	r.Query("{ deposits { totalCount } }").WantOK()
	r.Token = down.Token()
	if resp := r.Query("{ deposits { totalCount } }"); resp.Status != http.StatusServiceUnavailable {
		t.Errorf("the callers of the other issuer have status %d", resp.Status)
	}
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

// TestOperationTimeout: an operation that exceeds its timeout gets a response with an error of its field.
func TestOperationTimeout(t *testing.T) {
	t.Parallel() // it waits for the timeout
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
