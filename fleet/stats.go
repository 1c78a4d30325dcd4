package fleet

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// Stats are counters since the start, and the state now.
type Stats struct {
	Up       bool // whether Redis is used
	Replicas int  // that were seen last
	Latency  prometheus.Histogram
	Refused  map[string]uint64 // commands without a result, by reason
	Settled  uint64            // tokens

	Documents map[string]uint64 // searches and writes, by result
	Hints     map[string]uint64 // sent, received and dropped
}

func newLatency() prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "pixgraph_redis_latency_seconds", Help: "Time from commands to their answers, or to the end of a connection without answers.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1}, // to MaxWait, after which a command counts as failed
	})
}

// counters are those of a fleet.
type counters struct {
	settled                   atomic.Uint64
	latency                   prometheus.Histogram
	refused, documents, hints tally
}

func newCounters() counters {
	return counters{
		latency: newLatency(), refused: newTally(reasons[:]...),
		documents: newTally("found", "missed", "invalid", "written", "unwritten"), hints: newTally("sent", "received", "dropped"),
	}
}

// refuse counts a command without a result.
func (c *counters) refuse(why string) { c.refused[why].Add(1) }

// tally has a counter for each of some names. The map itself never changes.
type tally map[string]*atomic.Uint64

func newTally(names ...string) tally {
	t := tally{}
	for _, name := range names {
		t[name] = new(atomic.Uint64)
	}
	return t
}

func (t tally) counts() map[string]uint64 {
	counts := map[string]uint64{}
	for name, n := range t {
		counts[name] = n.Load()
	}
	return counts
}

// Stats returns the current values.
func (f *Fleet) Stats() Stats {
	c := &f.counts
	return Stats{
		Up: !f.state.isAway(), Replicas: f.state.seen(), Settled: c.settled.Load(), Latency: c.latency,
		Refused: c.refused.counts(), Documents: c.documents.counts(), Hints: c.hints.counts(),
	}
}
