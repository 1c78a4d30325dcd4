package alerts

import (
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/memnet"
	"pixgraph/test/replica"
)

// scrape reads the metrics of a gateway in a bubble when all requests are counted. A client may have its response a
// moment earlier.
func scrape(r *replica.Replica) string {
	r.T.Helper()
	synctest.Wait()
	return string(r.Admin.Get("/metrics").WantOK().Body)
}

// closed is an address on which nothing listens any more.
func closed(t *testing.T, network *memnet.Network) string {
	t.Helper()
	l, err := network.Listen()
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	return l.Addr().String()
}

// await polls a condition outside of a bubble until it is true. Shortly before go test ends, it fails with what it
// waited for.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline, limited := t.Deadline()
	for !condition() {
		if limited && time.Until(deadline) < 10*time.Second {
			t.Fatalf("waited for %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
