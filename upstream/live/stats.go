package live

import (
	"maps"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Stats are the counters of an engine since its start, and its size now.
type Stats struct {
	Streams, Watches, Cohorts, Records int
	Reads, Failed, Postponed           uint64 // reads that succeeded, that failed, and that had no credit
	Events                             map[Reason]uint64
	Ends                               map[End]uint64
	Latency                            prometheus.Histogram // from updatedAt of a record to the event of the change
}

func newStats() Stats {
	s := Stats{Events: map[Reason]uint64{}, Ends: map[End]uint64{}, Latency: prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "pixgraph_live_latency_seconds", Help: "Time from updatedAt of a record to the event of its change.",
		Buckets: []float64{.1, .25, .5, 1, 1.5, 2.5, 5, 10, 30, 60}, // from a nudge; settled records may be read less often
	})}
	for _, reason := range []Reason{Snapshot, Changed, Reached, Stale, Recovered, Failed} {
		s.Events[reason] = 0
	}
	for _, why := range []End{EndFinal, EndClient, EndSlow, EndExpired, EndLifetime, EndDrain, EndFault} {
		s.Ends[why] = 0
	}
	return s
}

// sent counts an event. Only the change of a record that the stream has seen before has a latency.
func (s *Stats) sent(e *Event, first bool, now time.Time) {
	s.Events[e.Reason]++
	if first || e.Updated.IsZero() || e.Reason != Changed && e.Reason != Reached {
		return
	}
	s.Latency.Observe(max(0, now.Sub(e.Updated)).Seconds())
}

// Stats returns the current values.
func (e *Engine) Stats() (s Stats) {
	e.do(func(time.Time) {
		s = e.counts
		s.Events, s.Ends = maps.Clone(s.Events), maps.Clone(s.Ends)
		s.Streams, s.Watches, s.Records = e.Streams(), len(e.watches), len(e.records.byKey)
		for _, w := range e.watches {
			s.Cohorts += len(w.cohorts)
		}
	})
	return s
}
