package redis

import (
	"slices"
	"strings"
	"testing"

	"pixgraph/internal/redistest"
)

// TestStartCluster: each node knows which node has a key, also after a restart.
func TestStartCluster(t *testing.T) {
	notShort(t)
	c := redistest.StartCluster(t)
	if a := c.Addresses(); len(a) != 3 || len(slices.Compact(slices.Sorted(slices.Values(a)))) != 3 {
		t.Fatal(a)
	}
	const key, slot, owner = "foo", "12182", 2 // the slot is in the documentation of CLUSTER KEYSLOT
	check(t, c.Nodes[0], slot, "CLUSTER", "KEYSLOT", key)
	check(t, c.Nodes[owner], "OK", "SET", key, "1")
	moved := func() bool {
		_, err := c.Nodes[0].Command("GET", key)
		return err != nil && err.Error() == "MOVED "+slot+" "+c.Nodes[owner].Address()
	}
	if !moved() {
		t.Error("the key is not at its node")
	}
	c.Nodes[0].Restart()
	await(t, "a node that knows the others after a restart", moved)
}

// TestStartSentinel: a failover makes the replica the master, which a restarted sentinel remembers.
func TestStartSentinel(t *testing.T) {
	notShort(t)
	master := redistest.Start(t)
	check(t, master, "OK", "SET", "a", "1")
	replica := redistest.StartReplica(t, master)
	check(t, replica, "1", "GET", "a")
	sentinel := redistest.StartSentinel(t, master)
	named := func(s *redistest.Server) func() bool {
		return func() bool {
			return command(t, sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", redistest.Master) == strings.Replace(s.Address(), ":", "\n", 1)
		}
	}
	if !named(master)() {
		t.Error("the sentinel names another master")
	}
	sentinel.Failover()
	await(t, "a sentinel that names the replica", named(replica))
	await(t, "a replica that is the master", func() bool { _, err := replica.Command("SET", "a", "2"); return err == nil })
	sentinel.Restart()
	if !named(replica)() {
		t.Error("the restarted sentinel names another master")
	}
}
