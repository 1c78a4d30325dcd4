package hostile

import (
	"flag"
	"testing"
)

// TestMain has more tests run in parallel than there are processors: those that say so wait.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	m.Run() // the test's own main exits with what it found
}

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
		{"methods", methods},
		{"paths", paths},
		{"Accept", accepts},
		{"URLs", urls},
		{"framing", framing},
		{"request lines", lines},
		{"large documents", largeDocuments},
		{"broken documents", brokenDocuments},
		{"costs", costs},
		{"variables", variables},
		{"Authorization", authorizations},
		{"tokens", tokens},
		{"simple requests", simple},
		{"pages", pages},
		{"persisted documents", persistedDocuments},
	}
}

// scene is an attack on one part of the gateway that is no table.
type scene struct {
	name string
	play func(*testing.T, *gateway)
}

// scenes are the attacks on the one process that are no tables.
func scenes() []scene {
	return []scene{
		{"processor", processor},
		{"pipelining", pipelining},
		{"asking for bodies", asking},
		{"deserters", deserters},
		{"unknown keys", unknownKeys},
		{"storing documents", storing},
		{"conditions", conditions},
		{"sharing fragments", sharing},
	}
}

// another is an attack on a gateway of its own, with other settings.
type another struct {
	name string
	play func(t *testing.T, binary string)
}

func apart() []another {
	return []another{
		{"forwarding", forwarding},
		{"closed", closed},
		{"trusted documents", trusting},
		{"hostile APIs", hostileAPIs},
		{"failover", failover},
	}
}

// memoryBound is how much more memory the process may have at the end of the suite, in bytes: the race detector keeps
// several bytes for each that was ever used.
const memoryBound = 128 << 20

// TestHostile attacks one process, group by group. After each it must still answer, and at the end it must have about
// the memory of the beginning, nothing in its log that is not for it, and end in peace.
func TestHostile(t *testing.T) {
	t.Parallel()
	binary := build(t)
	g := newGateway(t, binary)
	for range 50 {
		g.alive(t)
	}
	resident := g.resident(t)

	var ends []func(*testing.T)
	for _, l := range lastings() {
		ends = append(ends, l.begin(t, binary, g))
	}
	rows := 0
	for _, group := range groups() {
		table := group.rows()
		rows += len(table)
		cpu := g.cpu(t)
		t.Run(group.name, func(t *testing.T) { g.run(t, table) })
		t.Logf("%s: %d requests, %s of CPU", group.name, len(table), g.cpu(t)-cpu)
	}
	t.Logf("%d requests in tables", rows)
	for _, scene := range scenes() {
		t.Run(scene.name, func(t *testing.T) { scene.play(t, g) })
	}

	for _, a := range apart() {
		t.Run(a.name, func(t *testing.T) { a.play(t, binary) })
	}
	for i, l := range lastings() {
		t.Run(l.name, ends[i])
	}

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
