package main

import (
	"context"
	"fmt"
	"time"

	"pixgraph/internal/process"
)

// sample is what was seen of a gateway at rest, after a cycle.
type sample struct {
	at         time.Duration
	requests   int64 // sent in the cycle
	withErrors int64 // those whose answer had errors, or was a refusal
	rss        int64 // bytes in memory
	heap       int64 // bytes that the collector leaves
	goroutines int64
	files      int64 // open descriptors
}

const header = "    time  requests  with errors  RSS MiB  heap MiB  goroutines  files\n"

func (s sample) row() string {
	const mebibyte = 1 << 20
	return fmt.Sprintf("%8s  %8d  %11d  %7.1f  %8.2f  %10d  %5d\n", s.at.Round(time.Second), s.requests, s.withErrors,
		float64(s.rss)/mebibyte, float64(s.heap)/mebibyte, s.goroutines, s.files)
}

// rest is how long a gateway may take to come to rest, and pause the time between two looks at it.
const (
	rest  = 10 * time.Second
	pause = 200 * time.Millisecond
)

// look waits until the gateway is at rest, which is when it has no more goroutines and files than a moment before, and
// says how it is then.
func (s *soak) look(ctx context.Context) (sample, error) {
	deadline := time.Now().Add(rest)
	before, err := s.glance(ctx)
	for err == nil {
		select {
		case <-ctx.Done():
			return sample{}, ctx.Err()
		case <-time.After(pause):
		}
		var now sample
		if now, err = s.glance(ctx); err != nil {
			break
		}
		if now.goroutines >= before.goroutines && now.files >= before.files || time.Now().After(deadline) {
			now.requests, now.withErrors = s.requests.Swap(0), s.withErrors.Swap(0)
			return now, nil
		}
		before = now
	}
	return sample{}, err
}

// glance has the gateway collect its garbage, and reads what it is at that moment.
func (s *soak) glance(ctx context.Context) (sample, error) {
	if _, err := s.gateway.Read(ctx, "/debug/pprof/heap?gc=1"); err != nil {
		return sample{}, err
	}
	metrics, err := s.gateway.Read(ctx, "/metrics")
	if err != nil {
		return sample{}, err
	}
	seen := sample{}
	for name, into := range map[string]*int64{"go_memstats_heap_alloc_bytes": &seen.heap, "go_goroutines": &seen.goroutines} {
		value, err := process.Metric(metrics, name)
		if err != nil {
			return sample{}, err
		}
		*into = int64(value)
	}
	files, err := s.gateway.Files()
	if err != nil {
		return sample{}, err
	}
	seen.files = int64(files)
	seen.rss, err = s.gateway.Resident()
	return seen, err
}
