package fleet

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

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
	settled, found, missed, invalid, written, unwritten atomic.Uint64
	hintsSent, hintsReceived, hintsDropped              atomic.Uint64

	latency prometheus.Histogram

	mu      sync.Mutex
	refused map[string]uint64
}

// observe counts the time that a command took.
func (c *counters) observe(took time.Duration) { c.latency.Observe(took.Seconds()) }

// refuse counts a command without a result.
func (c *counters) refuse(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused == nil {
		c.refused = map[string]uint64{}
	}
	c.refused[why]++
}

// Stats returns the current values.
func (f *Fleet) Stats() Stats {
	c := &f.counts
	s := Stats{
		Up: !f.state.isAway(), Replicas: f.state.seen(), Settled: c.settled.Load(), Latency: c.latency, Refused: map[string]uint64{},
		Documents: map[string]uint64{
			"found": c.found.Load(), "missed": c.missed.Load(), "invalid": c.invalid.Load(),
			"written": c.written.Load(), "unwritten": c.unwritten.Load(),
		},
		Hints: map[string]uint64{"sent": c.hintsSent.Load(), "received": c.hintsReceived.Load(), "dropped": c.hintsDropped.Load()},
	}
	for _, why := range reasons {
		s.Refused[why] = 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(s.Refused, c.refused)
	return s
}
