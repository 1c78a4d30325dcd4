package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"pixgraph/upstream/sandbox"
)

// peakBound is the maximum memory of the process at any time, whatever one or a few callers request: the memory of
// requests (limits_memory), the cached documents, and the uncollected garbage.
const peakBound = 320 << 20

// exhaustion is an attack on resources that all callers share: memory, slots of operations, connections.
type exhaustion struct {
	name string
	run  func(*testing.T, *gateway)
}

// exhaustions are run on a gateway with default settings, and those about the writing of responses also on one without its
// fast path.
func exhaustions() (all, reference []exhaustion) {
	reference = []exhaustion{
		{"long responses", longResponses},
		{"invalid pages", invalidPages},
	}
	return append(reference,
		exhaustion{"plans of a document", plans},
		exhaustion{"documents without end", documentsWithoutEnd},
		exhaustion{"bodies byte by byte", trickle},
		exhaustion{"a slow API", fairShare},
	), reference
}

// TestShipped attacks the released binary, without the race detector, so that its memory is what an operator sees. After
// each attack no operation runs any more, and a normal query succeeds; after all of them the memory is returned to the
// system.
func TestShipped(t *testing.T) {
	t.Parallel()
	binary := buildRelease(t)
	all, reference := exhaustions()
	var attacked []*gateway
	for _, tt := range []struct {
		name    string
		attacks []exhaustion
		flags   []string
	}{
		{"fast path", all, nil},
		{"reference", reference, []string{"--fast-path=off"}},
	} {
		g := newRelease(t, binary, tt.flags...)
		attacked = append(attacked, g)
		t.Run(tt.name, func(t *testing.T) {
			for _, attack := range tt.attacks {
				t.Run(attack.name, func(t *testing.T) {
					g.wantPeak(t, peakBound, func() { attack.run(t, g) })
					g.idle(t)
					g.alive(t)
				})
			}
		})
	}
	for _, g := range attacked {
		g.wantIdle(t)
		g.finish(t)
	}
}

// buildRelease builds the binary as it is released.
func buildRelease(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "pixgraph")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", binary, "pixgraph").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}

// newRelease starts a sandbox and a released gateway over it, with its own garbage collection settings.
func newRelease(t *testing.T, binary string, flags ...string) *gateway {
	t.Helper()
	box := newSandbox(t)
	return startRelease(t, binary, box, append(upstreamFlags(box), flags...)...)
}

// startRelease starts a released gateway that verifies the tokens of a sandbox.
func startRelease(t *testing.T, binary string, box *sandbox.Sandbox, flags ...string) *gateway {
	t.Helper()
	return gatewayOf(t, box, launch(t, binary, []string{"GOGC=", "GOMEMLIMIT="}, append(authFlags(box), flags...)...))
}

// wantPeak fails the test if the process uses more memory than the bound at any time during run.
func (g *gateway) wantPeak(t *testing.T, bound int64, run func()) {
	t.Helper()
	const peak = "5" // of proc_pid_clear_refs(5): resets VmHWM
	if err := os.WriteFile(filepath.Join("/proc", strconv.Itoa(g.cmd.Process.Pid), "clear_refs"), []byte(peak), 0); err != nil {
		t.Fatal(err)
	}
	run()
	most := g.memory(t, "VmHWM:")
	t.Logf("%d MiB at most, %d at the end", most>>20, g.resident(t)>>20)
	if most > bound {
		t.Errorf("the process used %d MiB", most>>20)
	}
}
