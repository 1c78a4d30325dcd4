package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What make test runs of Go depends on no real time: a test that waits for a duration, or that a duration ends, fails
// on a machine that is slow or busy enough. So it waits in a bubble of testing/synctest, over connections in memory.
// The rule reads the syntax tree: it knows the usual ways to wait. The timers of a gateway, which no test names, need
// no rule: packages gatewaytest and replica start one in a bubble only.

// aboutSockets are the packages whose tests may use sockets of the operating system, each with the reason. Their tests
// wait for events: a connection, the end of a stream.
var aboutSockets = map[string]string{
	"gateway/listener": "it opens the addresses of the gateway, with options of the kernel",
	"upstream/http1":   "its check of an idle connection is a system call, which one test makes",
}

// realThings are the folders whose tests run processes, kernels and servers. make verify runs them, and make test a
// short pass of some.
var realThings = []string{"test/alerts", "test/binary", "test/generated", "test/hostile", "test/redis"}

// supportsTests are packages that tests alone import: the rule holds for all of their files.
var supportsTests = []string{
	"internal/certs/certstest", "internal/egress/egresstest", "internal/leaktest", "internal/memnet", "test/gatewaytest", "test/replica",
}

// ofTime are calls that wait for real time, or measure it.
var ofTime = map[string]bool{
	"time.Sleep": true, "time.After": true, "time.AfterFunc": true, "time.NewTimer": true, "time.NewTicker": true, "time.Tick": true,
	"time.Since": true, "time.Until": true, "runtime.Gosched": true,
	"context.WithTimeout": true, "context.WithTimeoutCause": true, "context.WithDeadline": true, "context.WithDeadlineCause": true,
}

// ofSockets are calls and variables that use sockets of the operating system.
var ofSockets = map[string]bool{
	"net.Listen": true, "net.ListenTCP": true, "net.ListenUDP": true, "net.ListenUnix": true, "net.ListenPacket": true, "net.ListenConfig": true,
	"net.Dial": true, "net.DialTCP": true, "net.DialUnix": true, "net.DialTimeout": true, "net.Dialer": true,
	"tls.Listen": true, "tls.Dial": true, "tls.DialWithDialer": true, "tls.Dialer": true,
	"httptest.NewServer": true, "httptest.NewTLSServer": true, "httptest.NewUnstartedServer": true,
	"http.Get": true, "http.Head": true, "http.Post": true, "http.PostForm": true, "http.DefaultClient": true, "http.DefaultTransport": true,
	"http.ListenAndServe": true, "http.ListenAndServeTLS": true, "http.Serve": true, "net.DefaultResolver": true, "net.LookupHost": true,
	"gatewaytest.NewSandbox": true,
}

// ofProcesses are packages that start processes.
var ofProcesses = map[string]bool{
	"os/exec": true, "pixgraph/internal/process": true, "pixgraph/internal/redistest": true, "github.com/rogpeppe/go-internal/testscript": true,
}

// namedHere are packages that the rule knows by their names.
var namedHere = []string{"context", "crypto/tls", "net", "net/http", "net/http/httptest", "runtime", "testing/synctest", "time"}

// realWaits finds what the test files of a package do in real time, in processes and on sockets, outside of bubbles.
func realWaits(files []*ast.File, b *bubbles, sockets bool) map[ast.Node]string {
	found := map[ast.Node]string{}
	for _, file := range files {
		for _, spec := range file.Imports {
			switch path := strings.Trim(spec.Path.Value, `"`); {
			case ofProcesses[path]:
				found[spec] = "imports " + path + ", which starts processes"
			case spec.Name != nil && slices.Contains(namedHere, path):
				found[spec] = "imports " + path + " under a name that this rule does not know"
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				switch name := qualified(n); {
				case ofTime[name] && !b.has(n):
					found[n] = name + " outside of a bubble"
				case ofSockets[name] && !sockets:
					found[n] = name + " uses a socket of the operating system"
				}
			case *ast.CallExpr:
				switch name := nameOf(n.Fun); name {
				case "SetDeadline", "SetReadDeadline", "SetWriteDeadline":
					if !b.has(n) {
						found[n] = name + " outside of a bubble"
					}
				case "Sub", "Before", "After", "Compare":
					if s, ok := n.Fun.(*ast.SelectorExpr); ok && slices.ContainsFunc(append(n.Args, s.X), isNow) && !b.has(n) {
						found[n] = "a comparison with time.Now outside of a bubble"
					}
				case "StartSandbox":
					config, ok := n.Args[len(n.Args)-1].(*ast.CompositeLit)
					if ok && !hasKey(config, "Listen") && qualified(n.Fun) == "gatewaytest.StartSandbox" {
						found[n] = "a sandbox without Listen uses a socket of the operating system"
					}
				case "ListenAndServe", "ListenAndServeTLS":
					if !sockets {
						found[n] = name + " uses a socket of the operating system"
					}
				}
			case *ast.CompositeLit:
				switch name := qualified(n.Type); {
				case (name == "http.Client" || name == "net.Dialer") && hasKey(n, "Timeout") && !b.has(n):
					found[n] = "a timeout of " + name + " outside of a bubble"
				case name == "http.Client" && !hasKey(n, "Transport") && !sockets:
					found[n] = "an http.Client without a Transport uses sockets of the operating system"
				}
			}
			return true
		})
	}
	return found
}

func isNow(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && qualified(call.Fun) == "time.Now"
}

func hasKey(literal *ast.CompositeLit, key string) bool {
	return slices.ContainsFunc(literal.Elts, func(e ast.Expr) bool {
		pair, ok := e.(*ast.KeyValueExpr)
		return ok && nameOf(pair.Key) == key
	})
}

// TestNoTestWaitsForRealTime names each place in the tests of make test that waits for real time, starts a process or
// uses a socket.
func TestNoTestWaitsForRealTime(t *testing.T) {
	tests, wrappers := map[string][]*ast.File{}, map[string]int{}
	for _, p := range packages(t) {
		name := relative(p.ImportPath)
		if slices.Contains(realThings, name) {
			continue
		}
		names := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
		if slices.Contains(supportsTests, name) {
			names = append(names, p.GoFiles...)
		}
		for _, file := range names {
			tests[name] = append(tests[name], parse(t, filepath.Join(p.Dir, file)))
		}
		if slices.Contains(supportsTests, name) {
			for wrapper, i := range wrappersOf(tests[name]) {
				wrappers[p.Name+"."+wrapper] = i
			}
		}
	}
	unused := maps.Clone(aboutSockets)
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		_, sockets := aboutSockets[name]
		found := realWaits(tests[name], newBubbles(tests[name], wrappers), sockets)
		if sockets && len(realWaits(tests[name], newBubbles(tests[name], wrappers), false)) > len(found) {
			delete(unused, name)
		}
		var lines []string
		for node, what := range found {
			at := positions.Position(node.Pos())
			lines = append(lines, fmt.Sprintf("%s:%d: %s", at.Filename, at.Line, what))
		}
		slices.Sort(lines)
		for _, line := range lines {
			t.Error(line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("aboutSockets has %q, whose tests use no socket: remove the row", name)
	}
}

// TestStreamsGetTheTime: of package live, only the file of the engine has a clock and timers. Everything else gets the
// time, so that tests of it need neither.
func TestStreamsGetTheTime(t *testing.T) {
	clock := regexp.MustCompile(`\btime\.(Now|Since|Until|Sleep|After|AfterFunc|Tick|NewTicker|NewTimer)\b`)
	for _, path := range filesOf(t, ".go") {
		if !strings.HasPrefix(path, "upstream/live/") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		if has := clock.MatchString(read(t, path)); has != (path == "upstream/live/live.go") {
			t.Errorf("%s: uses a clock: %t", path, has)
		}
	}
}

// TestRealWaits: realWaits knows what waits for real time, and what runs in a bubble.
func TestRealWaits(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       int
	}{
		{"a sleep", `time.Sleep(1)`, 1},
		{"a sleep in a bubble", `synctest.Test(t, func(t *testing.T) { time.Sleep(1) })`, 0},
		{"a sleep in a bubble of a helper", `bubble(t, func(t *testing.T) { time.Sleep(1) })`, 0},
		{"a sleep in a bubble of another package", `gatewaytest.Run(t, func(t *testing.T) { time.Sleep(1) })`, 0},
		{"a sleep next to a bubble", `synctest.Test(t, func(t *testing.T) {}); time.Sleep(1)`, 1},
		{"a function that sleeps", `sleeps()`, 1},
		{"a function that sleeps, in a bubble", `synctest.Test(t, func(t *testing.T) { sleeps() })`, 0},
		{"a function that sleeps, as the bubble", `synctest.Test(t, sleeps)`, 0},
		{"a function that sleeps, in a bubble and not", `synctest.Test(t, func(t *testing.T) { sleeps() }); sleeps()`, 1},
		{"a function that calls one that sleeps", `calls()`, 1},
		{"a function that calls one that sleeps, in a bubble", `synctest.Test(t, func(t *testing.T) { calls() })`, 0},
		{"a method that sleeps", `slow{}.wait()`, 1},
		{"a method that sleeps, in a bubble", `synctest.Test(t, func(t *testing.T) { slow{}.wait() })`, 0},
		{"a method of an interface that sleeps", `use(slow{})`, 1},
		{"a method of an interface that sleeps, in a bubble", `synctest.Test(t, func(t *testing.T) { use(slow{}) })`, 0},
		{"a method that sleeps, in a bubble, of a type of a parameter", `takes(nil); synctest.Test(t, func(t *testing.T) { use(slow{}) })`, 0},
		{"a sleep as a value", `use(time.Sleep)`, 1},
		{"a timer", `time.NewTimer(1); time.AfterFunc(1, f); <-time.After(1); time.NewTicker(1)`, 4},
		{"a timeout", `context.WithTimeout(ctx, 1)`, 1},
		{"a deadline", `c.SetReadDeadline(time.Now())`, 1},
		{"a method that another one calls, in a bubble and not", `synctest.Test(t, func(t *testing.T) { slow{}.wait() }); slow{}.twice()`, 1},
		{"a function next to the one that runs in a bubble", `around(t, func() { time.Sleep(1) }, func(t *testing.T) { time.Sleep(1) })`, 1},
		{"a timeout of a client", `http.Client{Timeout: 1, Transport: nothing}`, 1},
		{"a client of the operating system", `(&http.Client{}).Get("")`, 1},
		{"a measured duration", `start := time.Now(); use(time.Since(start), time.Now().Sub(start))`, 2},
		{"a loop until a time", `for time.Now().Before(end) { runtime.Gosched() }`, 2},
		{"a socket in a bubble", `synctest.Test(t, func(t *testing.T) { net.Listen("tcp", "") })`, 1},
		{"a server", `httptest.NewServer(nil)`, 1},
		{"a sandbox on a socket", `gatewaytest.StartSandbox(t, sandbox.Config{Records: 1})`, 1},
		{"a date", `use(time.Now(), time.Second)`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := "package p\nfunc TestIt(t *testing.T) {\n" + tt.body + "\n}\n" + `
				func bubble(t *testing.T, f func(*testing.T)) { synctest.Test(t, f) }
				func around(t *testing.T, before func(), f func(*testing.T)) { before(); synctest.Test(t, func(t *testing.T) { f(t) }) }`
			for name, declaration := range map[string]string{
				"sleeps":  `func sleeps() { time.Sleep(1) }`,
				"calls()": `func calls() { sleeps() }; func sleeps() { time.Sleep(1) }`,
				"takes":   `func takes(f func(slow)) {}`,
				"slow":    `type slow struct{}; func (slow) wait() { time.Sleep(1) }; func (s slow) twice() { s.wait() }`,
			} {
				if strings.Contains(tt.body, name) {
					source += "\n" + declaration
				}
			}
			file, err := parser.ParseFile(token.NewFileSet(), "p_test.go", source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files := []*ast.File{file}
			if found := realWaits(files, newBubbles(files, map[string]int{"gatewaytest.Run": 1}), false); len(found) != tt.want {
				t.Errorf("found %d, want %d: %v", len(found), tt.want, found)
			}
		})
	}
}
