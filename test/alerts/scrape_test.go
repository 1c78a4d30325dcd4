package alerts

import (
	"testing"
	"testing/synctest"

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
