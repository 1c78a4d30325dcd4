package redistest

import (
	"slices"
	"strconv"
	"testing"
)

// TestCluster: each node knows which node has a key, also after a restart.
func TestCluster(t *testing.T) {
	c := StartCluster(t)
	if a := c.Addresses(); len(a) != 3 || len(slices.Compact(slices.Sorted(slices.Values(a)))) != 3 {
		t.Fatal(a)
	}
	const key, slot, owner = "foo", "12182", 2 // the slot is in the documentation of CLUSTER KEYSLOT
	check(t, c.Nodes[0], slot, "CLUSTER", "KEYSLOT", key)
	check(t, c.Nodes[owner], "OK", "SET", key, "1")
	moved := "MOVED " + slot + " " + c.Nodes[owner].Address()
	if _, err := c.Nodes[0].Command("GET", key); err == nil || err.Error() != moved {
		t.Errorf("%v, want %s", err, moved)
	}
	c.Nodes[0].Restart()
	c.Nodes[0].await("cluster_state:ok", "CLUSTER", "INFO")
	if _, err := c.Nodes[0].Command("GET", key); err == nil || err.Error() != moved {
		t.Errorf("%v after a restart, want %s", err, moved)
	}
}

// TestSentinel: a failover makes the replica the master, which a restarted sentinel remembers. The former master
// becomes a replica up to ten seconds later, when the sentinel asks it for its role.
func TestSentinel(t *testing.T) {
	master := Start(t)
	check(t, master, "OK", "SET", "a", "1")
	replica := StartReplica(t, master)
	check(t, replica, "1", "GET", "a")
	sentinel := StartSentinel(t, master)
	address := func(s *Server) string { return "127.0.0.1\n" + strconv.Itoa(s.port) }
	check(t, sentinel, address(master), "SENTINEL", "GET-MASTER-ADDR-BY-NAME", Master)
	sentinel.Failover()
	sentinel.await(address(replica), "SENTINEL", "GET-MASTER-ADDR-BY-NAME", Master)
	check(t, replica, "OK", "SET", "a", "2")
	sentinel.Restart()
	check(t, sentinel, address(replica), "SENTINEL", "GET-MASTER-ADDR-BY-NAME", Master)
}
