package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// connections are the numbers of connections that are measured.
func connections() []int { return []int{1, 16, 64} }

// cell is one thing that is measured in every round.
type cell struct {
	query, server string
	connections   int
}

// figure is what was measured of a cell, per request: the medians of the rounds.
type figure struct {
	cpu    time.Duration
	rate   float64 // requests per second
	p50    time.Duration
	p99    time.Duration
	calls  float64 // upstream
	spread float64 // of the processor time: from the least to the most, by the median
}

// measureRounds measures all cells in turns: the servers of a cell right after each other, so that what else happens on
// the machine happens to all of them, and each round in another order.
func (l *lab) measureRounds(ctx context.Context) (map[cell]figure, error) {
	samples := map[cell][]sample{}
	for round := range l.rounds {
		l.tell("round %d of %d", round+1, l.rounds)
		for _, q := range l.queries {
			for _, connections := range l.connections {
				for i := range l.servers {
					p := l.servers[(i+round)%len(l.servers)]
					if l.asks[p.name][q.name] == nil {
						continue
					}
					s, err := l.sample(ctx, p, q, connections, l.slice)
					if err != nil {
						return nil, err
					}
					at := cell{q.name, p.name, connections}
					samples[at] = append(samples[at], s)
				}
			}
		}
	}
	figures := make(map[cell]figure, len(samples))
	for at, list := range samples {
		figures[at] = figureOf(list)
	}
	return figures, nil
}

// sample measures a server once.
func (l *lab) sample(ctx context.Context, p *process, q query, connections int, duration time.Duration) (sample, error) {
	s, err := load{
		address: p.address, exchanges: l.asks[p.name][q.name], connections: connections,
		warmUp: l.warmUp, duration: duration,
		meter: func() (reading, error) {
			calls, err := l.calls(ctx)
			if err != nil {
				return reading{}, err
			}
			cpu, err := cpuTime(p.pid())
			return reading{cpu, calls}, err
		},
	}.run(ctx)
	if err != nil {
		return sample{}, fmt.Errorf("%s, %s over %d connections: %w", p.name, q.name, connections, err)
	}
	return s, nil
}

// figureOf takes the medians of the samples of a cell.
func figureOf(samples []sample) figure {
	costs := each(samples, func(s sample) float64 { return float64(s.taken.cpu) / float64(s.requests) })
	cpu := median(costs)
	return figure{
		cpu:    time.Duration(cpu),
		rate:   median(each(samples, func(s sample) float64 { return float64(s.requests) / s.elapsed.Seconds() })),
		p50:    time.Duration(median(each(samples, func(s sample) float64 { return float64(percentile(s.latencies, 50)) }))),
		p99:    time.Duration(median(each(samples, func(s sample) float64 { return float64(percentile(s.latencies, 99)) }))),
		calls:  median(each(samples, func(s sample) float64 { return float64(s.taken.calls) / float64(s.requests) })),
		spread: (slices.Max(costs) - slices.Min(costs)) / max(cpu, 1),
	}
}

func each(samples []sample, value func(sample) float64) []float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = value(s)
	}
	return values
}

// median is the middle value, of an even number the mean of the two.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// find finds a query by its name.
func (b *bench) find(name string) (query, error) {
	for _, q := range b.queries {
		if q.name == name {
			return q, nil
		}
	}
	return query{}, errors.New("there is no query " + name)
}
