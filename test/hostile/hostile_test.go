package hostile

import (
	"flag"
	"testing"
)

// TestMain runs more parallel tests than there are processors, because they mostly wait.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	m.Run() // the generated main exits with the result
}

// group is a table of attacks on one part of the gateway.
type group struct {
	name string
	rows func() []row
}

// groups are the attacks that are tables.
func groups() []group {
	return []group{
		{"bodies", bodies},
		{"sizes of bodies", bodySizes},
		{"content types", contentTypes},
		{"methods", methods},
		{"paths", paths},
		{"Accept", accepts},
		{"URLs", urls},
		{"framing", framing},
		{"request lines", lines},
		{"large documents", largeDocuments},
		{"broken documents", invalidDocuments},
		{"costs", costs},
		{"variables", variables},
		{"Authorization", authorizations},
		{"tokens", tokens},
		{"simple requests", simple},
		{"pages", pages},
		{"persisted documents", persistedDocuments},
	}
}

// attack is an attack that is not a table. It gets the shared process; one that needs other settings starts its own.
type attack struct {
	name string
	run  func(*testing.T, *gateway)
}

// attacks are the attacks that are not tables.
func attacks() []attack {
	return []attack{
		{"pipelining", pipelining},
		{"Expect: 100-continue", expectContinue},
		{"disconnecting clients", disconnects},
		{"unknown keys", unknownKeys},
		{"registering documents", registering},
		{"filling the store of documents", filling},
		{"owing calls", owing},
		{"a removed CA", removed},
		{"forwarding", forwarding},
		{"restricted", restricted},
		{"trusted documents", trusting},
		{"hostile APIs", hostileAPIs},
		{"failover", failover},
	}
}

// memoryBound is the maximum growth of the process's memory during the suite, in bytes: the race detector keeps several
// bytes for each byte that was ever used.
const memoryBound = 128 << 20

// TestHostile attacks one process, group by group. After each group normal queries must succeed. At the end the process
// must use about as much memory as at the start, log no errors and no secrets, and exit with 0.
func TestHostile(t *testing.T) {
	t.Parallel()
	g := newGateway(t, build(t, "-race"))
	for range 50 {
		g.wantResponse(t)
	}
	resident := g.usage(t).RSS

	var ends []func(*testing.T)
	for _, l := range slowAttacks() {
		ends = append(ends, l.begin(t, g))
	}
	rows := 0
	for _, group := range groups() {
		table := group.rows()
		rows += len(table)
		cpu := g.usage(t).CPU
		t.Run(group.name, func(t *testing.T) { g.wantRows(t, table) })
		t.Logf("%s: %d requests, %s of CPU", group.name, len(table), g.usage(t).CPU-cpu)
	}
	t.Logf("%d requests in tables", rows)
	for _, attack := range attacks() {
		t.Run(attack.name, func(t *testing.T) { attack.run(t, g) })
	}
	for i, l := range slowAttacks() {
		t.Run(l.name, ends[i])
	}

	grown := g.usage(t).RSS - resident
	t.Logf("memory: %d MiB after warming up, %+d MiB since", resident>>20, grown>>20)
	if grown > memoryBound {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
	g.wantCleanEnd(t)
}
