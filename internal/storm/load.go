package main

import (
	"context"
	"slices"
	"sync"
	"time"
)

// load is clients that are measured: each asks at a steady pace, so that they ask for as much whether the gateway is calm
// or not, but never before it was answered. Without a pace, each asks again when it is answered.
type load struct {
	address  string
	requests [][]byte
	clients  int
	pace     time.Duration
}

// sample is what a load was answered.
type sample struct {
	codes     map[string]int
	latencies []time.Duration // sorted
}

func (s sample) answers() int { return len(s.latencies) }

// run asks until the context ends, once per client at least.
func (l load) run(ctx context.Context) (sample, error) {
	each := make([]sample, l.clients)
	errs := make([]error, l.clients)
	var asking sync.WaitGroup
	for i := range l.clients {
		asking.Go(func() { each[i], errs[i] = l.ask(ctx, i) })
	}
	asking.Wait()
	all := sample{codes: map[string]int{}}
	for i, s := range each {
		if errs[i] != nil {
			return sample{}, errs[i]
		}
		all.latencies = append(all.latencies, s.latencies...)
		for code, n := range s.codes {
			all.codes[code] += n
		}
	}
	slices.Sort(all.latencies)
	return all, nil
}

// ask is what one client does.
func (l load) ask(ctx context.Context, i int) (sample, error) {
	s := sample{codes: map[string]int{}}
	c, err := dial(context.WithoutCancel(ctx), l.address)
	if err != nil {
		return s, err
	}
	defer c.close()
	due := time.Now().Add(l.pace * time.Duration(i) / time.Duration(l.clients)) // not all at the same time
	for next := i; next == i || ctx.Err() == nil; next += l.clients {
		wait(ctx, time.Until(due))
		begin := time.Now()
		answer, err := c.ask(l.requests[next%len(l.requests)])
		if err != nil {
			return s, err
		}
		end := time.Now()
		s.latencies = append(s.latencies, end.Sub(begin))
		s.codes[codeOf(answer)]++
		if due = due.Add(l.pace); due.Before(end) {
			due = end // who was answered late asks less
		}
	}
	return s, nil
}

// percentile is a latency of the sorted ones.
func (s sample) percentile(percent int) time.Duration {
	if len(s.latencies) == 0 {
		return 0
	}
	return s.latencies[min(len(s.latencies)*percent/100, len(s.latencies)-1)]
}
