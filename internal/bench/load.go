package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// load is requests for one server over some connections. Each connection sends its next request when it has the answer to
// the last one.
type load struct {
	address     string
	exchanges   []exchange
	connections int
	warmUp      time.Duration // not counted
	duration    time.Duration

	// meter reads what the counted requests took, before the first and after the last of them.
	meter func() (reading, error)
}

// reading is the state of the counters that go on all the time.
type reading struct {
	cpu   time.Duration
	calls int64 // upstream
}

// sample is what a load found out.
type sample struct {
	requests  int
	elapsed   time.Duration
	taken     reading
	latencies []time.Duration // sorted
}

// run sends the requests. It fails when one of them fails: a server that does not do its work cannot be compared.
func (l load) run(ctx context.Context) (sample, error) {
	clients := make([]*client, 0, l.connections)
	defer func() {
		for _, c := range clients {
			c.close()
		}
	}()
	for range l.connections {
		c, err := dial(ctx, l.address)
		if err != nil {
			return sample{}, err
		}
		defer context.AfterFunc(ctx, c.close)()
		clients = append(clients, c)
	}
	if _, err := l.all(clients, l.warmUp); err != nil {
		return sample{}, errors.Join(ctx.Err(), err)
	}
	before, err := l.meter()
	if err != nil {
		return sample{}, err
	}
	began := time.Now()
	latencies, err := l.all(clients, l.duration)
	elapsed := time.Since(began)
	if err != nil {
		return sample{}, errors.Join(ctx.Err(), err)
	}
	after, err := l.meter()
	if err != nil {
		return sample{}, err
	}
	slices.Sort(latencies)
	return sample{
		requests: len(latencies), elapsed: elapsed, latencies: latencies,
		taken: reading{after.cpu - before.cpu, after.calls - before.calls},
	}, nil
}

// all has all connections send for a time, one request each at least, and waits for the last answer.
func (l load) all(clients []*client, duration time.Duration) ([]time.Duration, error) {
	deadline := time.Now().Add(duration)
	latencies := make([][]time.Duration, len(clients))
	errs := make([]error, len(clients))
	var sending sync.WaitGroup
	for i, c := range clients {
		sending.Go(func() {
			next := i * len(l.exchanges) / len(clients) // so that they do not ask for the same at the same time
			for begin := time.Now(); ; next++ {
				if errs[i] = c.do(l.exchanges[next%len(l.exchanges)]); errs[i] != nil {
					return
				}
				end := time.Now()
				latencies[i] = append(latencies[i], end.Sub(begin))
				if begin = end; !end.Before(deadline) {
					return
				}
			}
		})
	}
	sending.Wait()
	return slices.Concat(latencies...), errors.Join(errs...)
}

// percentile is a latency of the sorted ones.
func percentile(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}
