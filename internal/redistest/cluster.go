package redistest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Cluster is a Redis cluster of three masters without replicas.
type Cluster struct{ Nodes []*Server }

// slots is the number of hash slots of a Redis cluster.
const slots = 16384

// StartCluster starts a cluster and returns when each node knows the nodes of all slots. The arguments are those of the
// nodes. By default a node that does not answer counts as failed after the timeout of this package, so that a busy
// machine breaks no cluster; "--cluster-node-timeout", "1000" makes it a second.
func StartCluster(t T, args ...string) *Cluster {
	t.Helper()
	c := &Cluster{}
	const nodes = 3
	for i := range nodes {
		node := Start(t, append([]string{
			"--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1",
			"--cluster-node-timeout", strconv.FormatInt(timeout.Milliseconds(), 10),
		}, args...)...)
		node.must("CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(i*slots/nodes), strconv.Itoa((i+1)*slots/nodes-1))
		for _, other := range c.Nodes {
			node.must("CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(other.port))
		}
		c.Nodes = append(c.Nodes, node)
	}
	for _, node := range c.Nodes {
		node.await("cluster_state:ok", "CLUSTER", "INFO")
	}
	return c
}

// Addresses returns the host and the port of each node.
func (c *Cluster) Addresses() []string {
	var addresses []string
	for _, node := range c.Nodes {
		addresses = append(addresses, node.Address())
	}
	return addresses
}

// StartReplica starts a replica of a server without TLS, and returns when it has the data of the server, and the server
// knows that. If the server has a password, the arguments must include "--masterauth".
func StartReplica(t T, master *Server, args ...string) *Server {
	t.Helper()
	replica := Start(t, append([]string{"--replicaof", "127.0.0.1", strconv.Itoa(master.port)}, args...)...)
	replica.await("master_link_status:up", "INFO", "replication")
	master.await(fmt.Sprintf("port=%d,state=online", replica.port), "INFO", "replication")
	return replica
}

// Master is the name under which a sentinel monitors its master.
const Master = "pixgraph"

// StartSentinel starts a sentinel that monitors a master and decides alone (quorum 1). It returns when the sentinel
// knows the replicas of the master, which must have started before. A master counts as down when it has not answered
// for the timeout of this package, so that a busy machine causes no failover: a test starts one by Failover,
// or shortens the time by SENTINEL SET pixgraph down-after-milliseconds.
func StartSentinel(t T, master *Server) *Server {
	t.Helper()
	replicas := strings.Count(master.must("INFO", "replication"), ",state=")
	dir, err := os.MkdirTemp("", "redistest")
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	// A sentinel writes its state and its arguments to its file, and refuses to start with a user in both.
	file := filepath.Join(dir, "sentinel.conf")
	text := fmt.Sprintf("user %[1]s %[2]s\nsentinel monitor %[3]s 127.0.0.1 %[4]d 1\nsentinel down-after-milliseconds %[3]s %[5]d\n",
		admin, rights, Master, master.port, timeout.Milliseconds())
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	s := start(t, func(port int) []string { return []string{file, "--sentinel", "--port", strconv.Itoa(port)} })
	s.await(fmt.Sprintf("address=%s,slaves=%d,", master.Address(), replicas), "INFO", "sentinel")
	return s
}

// Failover makes a sentinel let a replica become the master. A sentinel that knows the replica may not have its state
// yet, and refuses until then.
func (s *Server) Failover() {
	s.t.Helper()
	s.retry("NOGOODSLAVE", func() error {
		_, err := s.Command("SENTINEL", "FAILOVER", Master)
		return err
	})
}
