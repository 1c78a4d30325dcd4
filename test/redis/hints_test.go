package redis

import (
	"slices"
	"strings"
	"testing"

	"pixgraph/fleet"
	"pixgraph/internal/redistest"
)

// TestHints: hints reach the other replicas, each once, and forged messages nobody.
func TestHints(t *testing.T) {
	notShort(t)
	server := redistest.Start(t)
	a, b := joinUp(t, urlOf(server.Address())), joinUp(t, urlOf(server.Address()))
	await(t, "two subscriptions", func() bool { return strings.HasSuffix(command(t, server, "PUBSUB", "NUMSUB", prefix+"hints"), "2") })
	const n = 200
	for i := range n {
		a.Hint(fleet.Hint{byte(i), 1})
	}
	await(t, "all hints", func() bool { return len(b.heard()) == n })
	for _, forged := range []string{"", "short", strings.Repeat("x", 9), strings.Repeat("x", 8+65*16), strings.Repeat("x", 60<<10)} {
		command(t, server, "PUBLISH", prefix+"hints", forged)
	}
	await(t, "forged messages that are dropped", func() bool { return b.Stats().Hints["dropped"] == 5 })
	a.Hint(fleet.Hint{0, 1})
	await(t, "a later hint", func() bool { return len(b.heard()) > n })
	if heard := b.heard(); len(heard) != n+1 || !slices.Contains(heard[n:], fleet.Hint{0, 1}) {
		t.Errorf("%d hints, at last %x", len(heard), heard[n:])
	}
	if heard := a.heard(); len(heard) > 0 {
		t.Errorf("the sender hears %d of its own", len(heard))
	}
}
