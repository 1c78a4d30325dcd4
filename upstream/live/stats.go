package live

// Stats are the counters of an engine since its start, and its size now.
type Stats struct {
	Streams, Watches, Cohorts, Records int
	Reads, Failed                      uint64 // reads that succeeded, and that failed
}

// Stats returns the current values.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.counts
	s.Streams, s.Watches, s.Records = e.streams, len(e.watches), len(e.records)
	for _, w := range e.watches {
		s.Cohorts += len(w.cohorts)
	}
	return s
}
