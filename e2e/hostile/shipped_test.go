package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"pixgraph/upstream/sandbox"
)

// peakBound is what the process may take at any time, whatever one or a few callers ask for: what requests may hold
// (limits_memory), the documents that are kept, and the garbage that is not collected yet.
const peakBound = 320 << 20

// exhaustion is an attack on what all callers share: memory, places of operations, connections.
type exhaustion struct {
	name string
	play func(*testing.T, *gateway)
}

// exhaustions are played one after the other on one gateway with the settings that it has by default.
func exhaustions() []exhaustion {
	return []exhaustion{
		{"broken pages", brokenPages},
		{"plans of a document", plans},
		{"documents without end", documentsWithoutEnd},
		{"bodies byte by byte", trickle},
		{"a slow API", greed},
	}
}

// TestShipped attacks the binary as it is released, without the race detector, so that its memory is what an operator
// sees. After each attack nothing runs any more, and a normal query is answered.
func TestShipped(t *testing.T) {
	g := newShipped(t, release(t))
	for _, attack := range exhaustions() {
		t.Run(attack.name, func(t *testing.T) {
			g.within(t, peakBound, func() { attack.play(t, g) })
			g.idle(t)
			g.alive(t)
		})
	}
	g.finish(t)
}

// release makes the binary as it is released.
func release(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "pixgraph")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", binary, "pixgraph").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}

// newShipped starts a sandbox and a released gateway before it, with its own pace of collection.
func newShipped(t *testing.T, binary string, flags ...string) *gateway {
	t.Helper()
	box := newSandbox(t)
	return ship(t, binary, box, append(toward(box), flags...)...)
}

// ship starts a released gateway that verifies the tokens of a sandbox.
func ship(t *testing.T, binary string, box *sandbox.Sandbox, flags ...string) *gateway {
	t.Helper()
	return over(t, box, launch(t, binary, []string{"GOGC=", "GOMEMLIMIT="}, append(verifying(box), flags...)...))
}

// within fails the test when the process takes more memory than the bound, at any time while something is played.
func (g *gateway) within(t *testing.T, bound int64, play func()) {
	t.Helper()
	const peak = "5" // of proc_pid_clear_refs(5): VmHWM begins again
	if err := os.WriteFile(filepath.Join("/proc", strconv.Itoa(g.cmd.Process.Pid), "clear_refs"), []byte(peak), 0); err != nil {
		t.Fatal(err)
	}
	play()
	most := g.memory(t, "VmHWM:")
	t.Logf("%d MiB at most, %d at the end", most>>20, g.resident(t)>>20)
	if most > bound {
		t.Errorf("it took %d MiB", most>>20)
	}
}
