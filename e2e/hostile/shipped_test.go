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

// exhaustions are played on a gateway with the settings that it has by default, and those of them that are about how an
// answer is written on one without its fast path too.
func exhaustions() (all, reference []exhaustion) {
	reference = []exhaustion{
		{"long answers", longAnswers},
		{"broken pages", brokenPages},
	}
	return append(reference,
		exhaustion{"plans of a document", plans},
		exhaustion{"documents without end", documentsWithoutEnd},
		exhaustion{"bodies byte by byte", trickle},
		exhaustion{"a slow API", greed},
	), reference
}

// TestShipped attacks the binary as it is released, without the race detector, so that its memory is what an operator
// sees. After each attack nothing runs any more, and a normal query is answered; after all of them the memory is returned.
func TestShipped(t *testing.T) {
	t.Parallel()
	binary := release(t)
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
		g := newShipped(t, binary, tt.flags...)
		attacked = append(attacked, g)
		t.Run(tt.name, func(t *testing.T) {
			for _, attack := range tt.attacks {
				t.Run(attack.name, func(t *testing.T) {
					g.within(t, peakBound, func() { attack.play(t, g) })
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
