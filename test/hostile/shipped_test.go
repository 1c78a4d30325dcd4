package hostile

import (
	"testing"
)

// peakBound is the maximum memory of the process at any time, whatever one or a few callers request: the memory of
// requests (limits_memory), the cached documents, and the uncollected garbage.
const peakBound = 320 << 20

// exhaustions are attacks on resources that all callers share: memory, slots of operations, connections. They are run
// on a gateway with default limits.
func exhaustions() []attack {
	return []attack{
		{"long responses", longResponses},
		{"invalid pages", invalidPages},
		{"plans of a document", plans},
		{"documents without end", documentsWithoutEnd},
		{"bodies byte by byte", trickle},
		{"a slow API", fairShare},
		{"calls that hang", hangingCalls},
		{"a record that fails", failingRecord},
	}
}

// TestShipped attacks the released binary, without the race detector, so that its memory is what an operator sees.
// After each attack no operation runs any more, and a normal query succeeds; after all of them the memory is returned
// to the system.
func TestShipped(t *testing.T) {
	t.Parallel()
	binary := build(t)
	// With the default timeouts, a busy machine would add errors to large responses.
	g := newRelease(t, binary, "--upstream-timeout=50s", "--operation-timeout=50s")
	for _, attack := range exhaustions() {
		t.Run(attack.name, func(t *testing.T) {
			g.wantPeak(t, peakBound, func() { attack.run(t, g) })
			g.wantNoOperations(t)
			g.wantResponse(t)
		})
	}
	g.wantIdle(t)
	g.wantCleanEnd(t)
	t.Run("drain under streams", func(t *testing.T) { drain(t, binary) })
	t.Run("containers", func(t *testing.T) { containers(t, binary) })
	for _, kind := range balancerKinds() {
		t.Run("rolling update behind "+kind.name, func(t *testing.T) { rolling(t, binary, kind) })
		t.Run("behind "+kind.name, func(t *testing.T) { balanced(t, binary, kind) })
	}
}

// wantPeak fails the test if the process uses more memory than the bound at any time during run.
func (g *gateway) wantPeak(t *testing.T, bound int64, run func()) {
	t.Helper()
	must(t, g.ResetPeak())
	run()
	u := g.usage(t)
	t.Logf("%d MiB at most, %d at the end", u.Peak>>20, u.RSS>>20)
	if u.Peak > bound {
		t.Errorf("the process used %d MiB", u.Peak>>20)
	}
}
