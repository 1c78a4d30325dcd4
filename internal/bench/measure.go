package main

import (
	"context"
	"errors"
	"time"
)

// results are all that a run found out.
type results struct {
	plan
	queries []query
	date    time.Time
	took    time.Duration
	machine string

	figures map[cell]figure
	memory  map[string]sizes  // by server
	slow    map[string]figure // by server, of APIs that take their time
	start   time.Duration     // until the first answer
}

// measure runs all measurements of a plan.
func measure(ctx context.Context, p plan) (_ *results, err error) {
	r := &results{plan: p, date: time.Now(), machine: machine(), memory: map[string]sizes{}}
	b, err := open(ctx, p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	r.queries = b.queries
	if err := b.measureServers(ctx, r); err != nil {
		return nil, err
	}
	b.tell("APIs that take %s", latency)
	if r.slow, err = b.measureSlow(ctx); err != nil {
		return nil, err
	}
	r.took = time.Since(r.date)
	return r, nil
}

// measureServers makes the measurements over APIs that answer at once.
func (b *bench) measureServers(ctx context.Context, r *results) (err error) {
	b.tell("starting the servers, recording answers")
	l, err := b.openLab(ctx, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	gateways := []string{fastPath, reference}
	if b.before != "" {
		gateways = append(gateways, earlier)
	}
	if err := l.addGateways(ctx, gateways...); err != nil {
		return err
	}
	if err := l.addFloor(ctx); err != nil {
		return err
	}
	if err := l.addProxy(ctx); err != nil {
		return err
	}
	if r.figures, err = l.measureRounds(ctx); err != nil {
		return err
	}
	b.tell("memory and start")
	for _, name := range gateways {
		if r.memory[name], err = l.measureMemory(ctx, name); err != nil {
			return err
		}
	}
	r.start, err = l.measureStart(ctx)
	return err
}
