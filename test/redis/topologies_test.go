package redis

import (
	"strings"
	"testing"
	"time"

	"pixgraph/fleet"
	"pixgraph/internal/redistest"
)

// TestUnixSocket: a replica settles over a unix socket.
func TestUnixSocket(t *testing.T) {
	notShort(t)
	r := joinUp(t, fleet.URL("unix://"+redistest.Start(t).Socket()))
	wantDebt(t, "settled", r.take(hour("c1", 0))[0], 1)
}

// TestCluster: replicas share buckets on all nodes of a cluster, documents and hints, also while a slot is moved to
// another node.
func TestCluster(t *testing.T) {
	notShort(t)
	cluster := redistest.StartCluster(t)
	nodes := cluster.Addresses()
	url := urlOf(nodes[0] + "?cluster=on&addr=" + strings.Join(nodes[1:], "&addr="))
	a, b := joinUp(t, url), joinUp(t, url)
	settle := func(taken int) {
		t.Helper()
		for i := range 20 { // on all nodes
			key := "c" + string(rune('a'+i))
			a.take(hour(key, 0))
			wantDebt(t, key, b.take(hour(key, 0))[0], taken)
		}
	}
	settle(2)
	hash := a.register("{ deposits { totalCount } }")
	await(t, "the document", func() bool { _, ok := b.Document("caller", hash); return ok })
	await(t, "a hint", func() bool { a.Hint(fleet.Hint{1}); return len(b.heard()) > 0 })

	slot, from := command(t, cluster.Nodes[0], "CLUSTER", "KEYSLOT", prefix+"cmoved"), 0
	for i, node := range cluster.Nodes {
		if _, err := node.Command("EXISTS", prefix+"cmoved"); err == nil {
			from = i
		}
	}
	old, next := cluster.Nodes[from], cluster.Nodes[(from+1)%len(cluster.Nodes)]
	id := command(t, next, "CLUSTER", "MYID")
	command(t, next, "CLUSTER", "SETSLOT", slot, "IMPORTING", command(t, old, "CLUSTER", "MYID"))
	command(t, old, "CLUSTER", "SETSLOT", slot, "MIGRATING", id)
	wantDebt(t, "while the slot is moved", a.take(hour("cmoved", 0))[0], 1)
	command(t, next, "CLUSTER", "SETSLOT", slot, "NODE", id)
	command(t, old, "CLUSTER", "SETSLOT", slot, "NODE", id)
	wantDebt(t, "after the slot is moved", b.take(hour("cmoved", 0))[0], 2)
	settle(4)
}

// TestSentinel: replicas follow a failover to the new master.
func TestSentinel(t *testing.T) {
	notShort(t)
	master := redistest.Start(t)
	redistest.StartReplica(t, master)
	sentinel := redistest.StartSentinel(t, master)
	url := urlOf(sentinel.Address() + "?master_set=" + redistest.Master)
	a, b := joinUp(t, url), joinUp(t, url)
	a.take(hour("c1", 0))
	sentinel.Failover()
	_, port, _ := strings.Cut(master.Address(), ":")
	await(t, "another master", func() bool {
		return !strings.HasSuffix(command(t, sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", redistest.Master), port)
	})
	await(t, "a charge at the new master", func() bool { return a.take(hour("c1", time.Hour))[0].Settled })
	await(t, "a hint", func() bool { a.Hint(fleet.Hint{1}); return len(b.heard()) > 0 })
}
