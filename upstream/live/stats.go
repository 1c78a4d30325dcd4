package live

import (
	"maps"
	"time"
)

// Stats are the counters of an engine since its start, and its size now.
type Stats struct {
	Streams, Watches, Cohorts, Records int
	Reads, Failed, Postponed           uint64 // reads that succeeded, that failed, and that had no credit
	Events                             map[Reason]uint64
	Ends                               map[End]uint64
	Latency                            Latency
}

// Latency is a histogram of the time from updatedAt of a record until the event of the change is sent.
type Latency struct {
	Buckets map[float64]uint64 // events up to a number of seconds
	Count   uint64
	Sum     float64 // seconds
}

// latencies are the upper bounds of the buckets: from a nudge to a minute. Settled records may be read less often.
var latencies = [...]float64{.1, .25, .5, 1, 1.5, 2.5, 5, 10, 30, 60}

func newStats() Stats {
	s := Stats{Events: map[Reason]uint64{}, Ends: map[End]uint64{}, Latency: Latency{Buckets: map[float64]uint64{}}}
	for _, limit := range latencies {
		s.Latency.Buckets[limit] = 0
	}
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
	after := max(0, now.Sub(e.Updated)).Seconds()
	s.Latency.Count++
	s.Latency.Sum += after
	for _, limit := range latencies {
		if after <= limit {
			s.Latency.Buckets[limit]++
		}
	}
}

// Stats returns the current values.
func (e *Engine) Stats() (s Stats) {
	e.do(func(time.Time) {
		s = e.counts
		s.Events, s.Ends, s.Latency.Buckets = maps.Clone(s.Events), maps.Clone(s.Ends), maps.Clone(s.Latency.Buckets)
		s.Streams, s.Watches, s.Records = e.Streams(), len(e.watches), len(e.records.byKey)
		for _, w := range e.watches {
			s.Cohorts += len(w.cohorts)
		}
	})
	return s
}
