package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"pixgraph/internal/process"
)

// seen is what was seen of a gateway over some time.
type seen struct {
	rss        int64         // bytes in memory, at most
	goroutines int           // at most
	inFlight   int           // calls to the core at most
	waiting    int           // of them for a turn
	cpu        time.Duration // that the gateway took
	took       time.Duration
	core       []string // states of the core's breaker, in the order in which they came first
	dispatcher []string
}

// glances is how often a gateway is looked at: rarely enough that it costs it little.
const glances = 200 * time.Millisecond

// watch looks at the gateway until the context ends.
func (s *scene) watch(ctx context.Context) (seen, error) {
	var all seen
	began, cpu := time.Now(), time.Duration(0)
	pace := time.NewTicker(glances)
	defer pace.Stop()
	for n := 0; ; n++ {
		taken, err := s.glance(context.WithoutCancel(ctx), &all)
		if err != nil {
			return all, err
		}
		if n == 0 {
			cpu = taken
		}
		all.cpu, all.took = taken-cpu, time.Since(began)
		select {
		case <-ctx.Done():
			return all, nil
		case <-pace.C:
		}
	}
}

// glance adds what the gateway is at the moment, and returns the processor time that it has taken.
func (s *scene) glance(ctx context.Context, all *seen) (time.Duration, error) {
	text, err := s.gateway.Read(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	values := map[string]float64{
		"go_goroutines": 0, "process_cpu_seconds_total": 0,
		`pixgraph_upstream_calls_in_flight{service="core"}`: 0, `pixgraph_upstream_calls_waiting{service="core"}`: 0,
	}
	for name := range values {
		if values[name], err = process.Metric(text, name); err != nil {
			return 0, err
		}
	}
	all.goroutines = max(all.goroutines, int(values["go_goroutines"]))
	all.inFlight = max(all.inFlight, int(values[`pixgraph_upstream_calls_in_flight{service="core"}`]))
	all.waiting = max(all.waiting, int(values[`pixgraph_upstream_calls_waiting{service="core"}`]))
	for service, states := range map[string]*[]string{"core": &all.core, "dispatcher": &all.dispatcher} {
		state, err := breakerOf(text, service)
		if err != nil {
			return 0, err
		}
		if !slices.Contains(*states, state) {
			*states = append(*states, state)
		}
	}
	rss, err := s.gateway.Resident()
	all.rss = max(all.rss, rss)
	return time.Duration(values["process_cpu_seconds_total"] * float64(time.Second)), err
}

// breakerOf is the state of a service's breaker in the text of /metrics.
func breakerOf(text, service string) (string, error) {
	for _, state := range []string{"closed", "open", "half-open"} {
		value, err := process.Metric(text, fmt.Sprintf("pixgraph_upstream_breaker_state{service=%q,state=%q}", service, state))
		if err != nil {
			return "", err
		}
		if value == 1 {
			return state, nil
		}
	}
	return "", fmt.Errorf("the breaker of %s is in no state", service)
}

// observe runs a load for a time, or until the context ends, and watches the gateway meanwhile.
func (s *scene) observe(ctx context.Context, l load, lasts time.Duration) (sample, seen, error) {
	ctx, end := context.WithTimeout(ctx, lasts)
	defer end()
	type watched struct {
		seen seen
		err  error
	}
	watching := make(chan watched, 1)
	go func() {
		all, err := s.watch(ctx)
		watching <- watched{all, err}
	}()
	found, err := l.run(ctx)
	end()
	w := <-watching
	if err == nil {
		err = w.err
	}
	return found, w.seen, err
}
