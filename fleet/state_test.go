package fleet

import (
	"log/slog"
	"testing"
)

// noLedger is a ledger without buckets.
type noLedger struct{}

func (noLedger) Unsettled(int) []Charge { return nil }
func (noLedger) Settled([]Charge, int)  {}
func (noLedger) Divide(int)             {}
func (noLedger) Unite()                 {}

// TestReplicasSeen: more replicas count at once, fewer after some probes, also if Redis fails between each two of them.
func TestReplicasSeen(t *testing.T) {
	f, err := Open(Config{URL: "redis://127.0.0.1:1", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	f.ledger = noLedger{}
	for i, probe := range []struct{ replicas, want int }{
		{1, 1}, {3, 3}, {1, 3}, {3, 3}, {1, 3}, {1, 3}, {2, 3}, {1, 3}, {2, 2}, {1 << 40, maxReplicas}, {-1, maxReplicas},
	} {
		f.state.failed(errTimeout)
		f.state.probed(probe.replicas)
		if n := f.state.seen(); n != probe.want {
			t.Errorf("probe %d: %d replicas, want %d", i, n, probe.want)
		}
	}
}
