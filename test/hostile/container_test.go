package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// containers attacks gateways with default settings in control groups with as little memory as containers have. The
// kernel kills none of them: streams, long responses of several callers, slow clients and documents without end fit
// into the limit.
func containers(t *testing.T, binary string) {
	t.Parallel()
	for _, tt := range []struct {
		mebibytes        int64
		limit            string // the default of limits_memory
		streams, clients int
		long             int // MiB of a response that fits into that limit
	}{{128, "13MiB", 200, 64, 2}, {256, "49MiB", 1000, 128, 14}} {
		t.Run(fmt.Sprintf("%d MiB", tt.mebibytes), func(t *testing.T) {
			group, err := newMemoryGroup(t, tt.mebibytes<<20)
			if err != nil {
				t.Logf("not tested, because this machine allows no control group: %v", err)
				return
			}
			g := newRelease(t, group.wrap(t, binary), "--upstream-timeout=50s", "--operation-timeout=50s")
			if log, want := g.log.String(), `"limits_memory":"`+tt.limit+`"`; !strings.Contains(log, want) {
				t.Errorf("the log lacks %s: %.3000s", want, log)
			}
			subscription := fmt.Sprintf(`{"query":"subscription { transaction(id: \"%s\") { status } }"}`, g.box.Samples().OpenTransaction)
			for i := range tt.streams {
				g.subscribeSSE(t, g.caller(fmt.Sprint("watcher ", i%50)), subscription)
			}
			injectLargeRecords(t, g)
			for _, slow := range []bool{false, true} {
				g.wantSomeSucceed(t, tt.clients, g.callers(8), asked(`{ transaction(id: "<transaction>") {`+aliases(tt.long, "metadata")+` } }`), "", slow)
			}
			documentsWithoutEnd(t, g)
			g.wantResponse(t)
			peak, killed := group.use(t)
			t.Logf("%d of %d MiB at most, with the kernel's memory and cached files", peak>>20, tt.mebibytes)
			if killed != 0 {
				t.Errorf("the kernel killed %d processes", killed)
			}
			g.wantStopped(t)
		})
	}
}

// memoryGroup is a control group with a memory limit, below the group of the test.
type memoryGroup struct {
	dir          string
	peak, events string // the files with the maximum of the memory used and with the number of killed processes
}

var ownGroup = regexp.MustCompile(`(?m)^\d+:(?:|.*\bmemory\b.*):(/.*)$`)

// newMemoryGroup makes a group, of version 1 or 2 of cgroups(7), which is removed at the end of the test. It needs the
// right to.
func newMemoryGroup(t *testing.T, limit int64) (memoryGroup, error) {
	t.Helper()
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return memoryGroup{}, err
	}
	tree, file := "/sys/fs/cgroup", "memory.max"
	g := memoryGroup{peak: "memory.peak", events: "memory.events"}
	if strings.Contains(string(groups), "memory") {
		tree, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		g = memoryGroup{peak: "memory.max_usage_in_bytes", events: "memory.oom_control"}
	}
	own := ownGroup.FindStringSubmatch(string(groups))
	if own == nil {
		return memoryGroup{}, fmt.Errorf("unknown groups %q", groups)
	}
	if g.dir, err = os.MkdirTemp(filepath.Join(tree, own[1]), "pixgraph-test-"); err != nil {
		return memoryGroup{}, err
	}
	t.Cleanup(func() {
		if err := os.Remove(g.dir); err != nil { // after the process ended
			t.Error(err)
		}
	})
	return g, os.WriteFile(filepath.Join(g.dir, file), []byte(strconv.FormatInt(limit, 10)), 0o600)
}

// wrap returns the path of a command that runs a binary in the group.
func (g memoryGroup) wrap(t *testing.T, binary string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "contained")
	script := fmt.Sprintf("#!/bin/sh\necho $$ > %s/cgroup.procs && exec %s \"$@\"\n", g.dir, binary)
	must(t, os.WriteFile(name, []byte(script), 0o700))
	return name
}

// use returns the maximum of the memory that the group used, and how many of its processes the kernel killed.
func (g memoryGroup) use(t *testing.T) (peak, killed int64) {
	t.Helper()
	maximum, noMaximum := os.ReadFile(filepath.Join(g.dir, g.peak))
	events, noEvents := os.ReadFile(filepath.Join(g.dir, g.events))
	if noMaximum != nil || noEvents != nil {
		t.Fatal(noMaximum, noEvents)
	}
	peak, err := strconv.ParseInt(strings.TrimSpace(string(maximum)), 10, 64)
	kills, found := strings.CutPrefix(regexp.MustCompile(`(?m)^oom_kill \d+$`).FindString(string(events)), "oom_kill ")
	if err != nil || !found {
		t.Fatalf("%v: %s", err, events)
	}
	killed, err = strconv.ParseInt(kills, 10, 64)
	must(t, err)
	return peak, killed
}
