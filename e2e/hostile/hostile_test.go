package hostile

import (
	"testing"
)

// group is an attack on one part of the gateway.
type group struct {
	name string
	rows func() []row
}

// groups are the attacks that are tables.
func groups() []group {
	return []group{
		{"malformed bodies", malformedBodies},
		{"texts of bodies", bodyTexts},
		{"members of bodies", bodyMembers},
		{"sizes of bodies", bodySizes},
		{"content types", contentTypes},
	}
}

// memoryBound is how much more memory the process may have at the end of the suite, in bytes: the race detector keeps
// several bytes for each that was ever used.
const memoryBound = 128 << 20

// TestHostile attacks one process, group by group. After each it must still answer, and at the end it must have about
// the memory of the beginning, nothing in its log that is not for it, and end in peace.
func TestHostile(t *testing.T) {
	binary := build(t)
	g := newGateway(t, binary)
	for range 50 {
		g.alive(t)
	}
	resident := g.resident(t)

	rows := 0
	for _, group := range groups() {
		table := group.rows()
		rows += len(table)
		cpu := g.cpu(t)
		t.Run(group.name, func(t *testing.T) { g.run(t, table) })
		t.Logf("%s: %d requests, %s of CPU", group.name, len(table), g.cpu(t)-cpu)
	}
	t.Logf("%d requests in tables", rows)

	grown := g.resident(t) - resident
	t.Logf("memory: %d MiB after warming up, %+d MiB since", resident>>20, grown>>20)
	if grown > memoryBound {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
	if code := g.stop(t); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	g.wantQuiet(t)
}
