package gateway_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/gateway"
	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
	"pixgraph/test/replica"
)

// TestStartup: the line at the start has the effective settings, of which some are lower in a container with little
// memory. A warning names settings that features need, and limits for which the process has too few files or too little
// memory.
func TestStartup(t *testing.T) {
	const filesWarning = `"the limit of open files is too low for more connections of clients","limit":500,"needed":592`
	const memoryWarning = `"the memory limit of the container is too low for limits_memory","limit":268435456,"needed":469696512`
	for _, tt := range []struct {
		name    string
		process gateway.Process
		alone   bool // without the flags of a gateway over the sandbox
		flags   string
		has     []string // of the settings
		warning string   // a part of the only one
		more    int      // further warnings
	}{
		{name: "all settings", flags: "--trace=off",
			has: []string{`"auth_mode":"oidc"`, `"limits_memory":"192MiB"`, `"connections":25000,"streams":20000,`, ":1000/core/v1"}},
		{name: "sandbox", alone: true, process: gateway.Process{CacheDir: t.TempDir()}, has: []string{`"trace":"on"`}},
		{name: "a given setting", flags: "--trace=off --upstream-timeout=3s", has: []string{`"upstream_timeout":"3s"`}},
		{name: "all but one", warning: `are not set","trace":"clients`},
		{
			name: "only URLs", alone: true, flags: "--core-url=http://127.0.0.1:1 --dispatcher-url=http://127.0.0.1:2 --auth-mode=forward",
			warning: `are not set","paging_page_param":"[^"]+","paging_per_page_param":"[^"]+","links_metadata_pointer":"[^"]+","trace":"`,
			more:    1, // about the mode
			has:     []string{"auth_mode is forward: the gateway verifies no tokens", "introspection=off"},
		},
		{name: "enough files", process: gateway.Process{OpenFiles: 25_576}, flags: "--trace=off"},
		{name: "few files", process: gateway.Process{OpenFiles: 1024}, flags: "--trace=off", has: []string{`"connections":448,"streams":358,`}},
		{
			name: "fewer files than calls", process: gateway.Process{OpenFiles: 500}, flags: "--trace=off",
			warning: filesWarning,
		},
		{
			name: "a small container", process: gateway.Process{Memory: 256 << 20}, flags: "--trace=off",
			has: []string{`"limits_memory":"49MiB"`, `"connections":6395,"streams":5116,`},
		},
		{
			name: "limits that do not fit", process: gateway.Process{Memory: 256 << 20}, flags: "--trace=off --limits-memory=192MiB",
			has: []string{`"limits_memory":"192MiB"`}, warning: memoryWarning,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := replica.Start
				if !tt.alone {
					start = replica.NewSandbox(t).StartAs
				}
				log := start(t, tt.process, strings.Fields(tt.flags)...).Stderr.String()
				for _, text := range tt.has {
					if !strings.Contains(log, text) {
						t.Errorf("%s is not in %s", text, log)
					}
				}
				if n := strings.Count(log, `"level":"WARN"`); n != min(len(tt.warning), 1)+tt.more || !regexp.MustCompile(tt.warning).MatchString(log) {
					t.Errorf("%d warnings, want %s in %s", n, tt.warning, log)
				}
			})
		})
	}
	if files := gateway.ThisProcess().OpenFiles; files < 10 {
		t.Errorf("this process may open %d files", files)
	}
}

// TestAdmin: a gateway that waits for its issuer's keys is alive but not ready. The public
// address has nothing of this.
func TestAdmin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := replica.NewSandbox(t)
		down.Issuer().SetDown(true)
		waiting, ready := down.Start(t), replica.NewSandbox(t).Start(t)
		synctest.Wait()
		for path, statuses := range map[string][2]int{
			"/healthz": {http.StatusOK, http.StatusOK}, "/readyz": {http.StatusServiceUnavailable, http.StatusOK}, "/metrics": {http.StatusOK, http.StatusOK},
			"/debug/pprof/": {http.StatusOK, http.StatusOK}, "/debug/pprof/goroutine?debug=1": {http.StatusOK, http.StatusOK},
			"/debug/pprof/cmdline": {http.StatusNotFound, http.StatusNotFound},
		} {
			for i, each := range []*replica.Replica{waiting, ready} {
				if status := each.Admin.Get(path).Status; status != statuses[i] {
					t.Errorf("%s returned %d, want %d", path, status, statuses[i])
				}
				if status := each.Get(path).Status; status != http.StatusNotFound {
					t.Errorf("the public address returned %d for %s", status, path)
				}
			}
		}
	})
}

// TestReadyWithoutAnIssuer: a gateway that lacks the keys of one issuer serves the callers of the others.
func TestReadyWithoutAnIssuer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := replica.NewSandbox(t)
		down := gatewaytest.StartSandbox(t, sandbox.Config{Records: 1, Listen: box.Network.Listen})
		down.Issuer().SetDown(true)
		r := box.Start(t, "--auth-issuer="+box.IssuerURL()+","+down.IssuerURL())
		synctest.Wait()
		if got := string(r.Admin.Get("/readyz").Body); got != "ok\nno keys yet of issuer "+down.IssuerURL()+"\n" {
			t.Errorf("/readyz is %q", got)
		}
		r.QueryAs(box.Token(), "{ deposits { totalCount } }").WantOK()
		if resp := r.QueryAs(down.Token(), "{ deposits { totalCount } }"); resp.Status != http.StatusServiceUnavailable {
			t.Errorf("the callers of the other issuer have status %d", resp.Status)
		}
	})
}

// TestOperationTimeout: an operation that exceeds its timeout gets a response with an error of its field.
func TestOperationTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := replica.NewSandbox(t)
		r := box.Start(t, "--operation-timeout=3s", "--upstream-timeout=50s")
		box.Inject(sandbox.Fault{Kind: sandbox.FaultHang})
		began := time.Now()
		r.QueryAs(box.Token(), "{ deposits { totalCount } }").WantError("UPSTREAM_TIMEOUT", "deposits")
		if waited := time.Since(began); waited != 3*time.Second {
			t.Errorf("response after %s", waited)
		}
	})
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
