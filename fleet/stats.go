package fleet

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// Stats are counters since the start, and the state now.
type Stats struct {
	Up       bool // whether Redis is used
	Replicas int  // that were seen last
	Latency  Latency
	Refused  map[string]uint64 // commands without a result, by reason
	Settled  uint64            // tokens

	Documents map[string]uint64 // searches and writes, by result
	Hints     map[string]uint64 // sent, received and dropped
}

// Latency is a histogram of the time between a command and its answer, or the end of its connection.
type Latency struct {
	Buckets map[float64]uint64 // commands up to a number of seconds
	Count   uint64
	Sum     float64 // seconds
}

// latencies are the upper bounds of the buckets: to MaxWait, after which a command counts as failed.
var latencies = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1}

func newLatencies() Latency {
	l := Latency{Buckets: map[float64]uint64{}}
	for _, limit := range latencies {
		l.Buckets[limit] = 0
	}
	return l
}

// counters are those of a fleet.
type counters struct {
	settled, found, missed, invalid, written, unwritten atomic.Uint64
	hintsSent, hintsReceived, hintsDropped              atomic.Uint64

	mu      sync.Mutex
	latency Latency
	refused map[string]uint64
}

// observe counts the time that a command took.
func (c *counters) observe(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latency.Count++
	c.latency.Sum += took.Seconds()
	for _, limit := range latencies {
		if took.Seconds() <= limit {
			c.latency.Buckets[limit]++
		}
	}
}

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
		Up: !f.state.isAway(), Replicas: f.state.seen(), Settled: c.settled.Load(), Refused: map[string]uint64{},
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
	s.Latency = c.latency
	s.Latency.Buckets = maps.Clone(c.latency.Buckets)
	return s
}
