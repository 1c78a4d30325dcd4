package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// sizes is the memory of a gateway, in bytes.
type sizes struct {
	idle int64 // when it has answered once
	peak int64 // of its life, with the wide query over most connections
}

// peakConnections are those that the peak is measured with: the most of connections.
const peakConnections = 64

// measureMemory measures a gateway of its own, which has done nothing else.
func (l *lab) measureMemory(ctx context.Context, name string) (_ sizes, err error) {
	q, err := l.find(wide)
	if err != nil {
		return sizes{}, err
	}
	p, _, err := l.firstAnswer(ctx, name)
	if err != nil {
		return sizes{}, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	var found sizes
	if found.idle, err = memoryOf(p.pid(), residentNow); err != nil {
		return sizes{}, err
	}
	if _, err := l.sample(ctx, p, q, slices.Max(l.connections), l.lasts); err != nil {
		return sizes{}, err
	}
	found.peak, err = memoryOf(p.pid(), residentPeak)
	return found, err
}

// measureStart is how long it takes from the start of the gateway's process until it has answered a query: the median of
// some starts.
func (l *lab) measureStart(ctx context.Context) (time.Duration, error) {
	var took []float64
	for range l.starts {
		p, elapsed, err := l.firstAnswer(ctx, fastPath)
		if err != nil {
			return 0, err
		}
		if err := p.stop(); err != nil {
			return 0, err
		}
		took = append(took, float64(elapsed))
	}
	return time.Duration(median(took)), nil
}

// firstAnswer starts a gateway and asks the first query until it is answered. The gateway must be stopped.
func (l *lab) firstAnswer(ctx context.Context, name string) (*process, time.Duration, error) {
	p, err := l.startGateway(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	ask := l.asks[name][l.queries[0].name][0]
	for {
		_, err := askOnce(ctx, p.address, ask.request)
		elapsed := time.Since(p.began)
		switch {
		case err == nil:
			return p, elapsed, nil
		case ctx.Err() != nil || elapsed > startTimeout:
			return nil, 0, errors.Join(fmt.Errorf("no first answer: %w", err), p.stop())
		}
	}
}

// latency is what the slow APIs take to answer.
const latency = 20 * time.Millisecond

// measureSlow asks the linked query of APIs that take their time, over one connection, and returns the latencies by
// server: what the gateway adds to its calls when it waits for something else than them.
func (b *bench) measureSlow(ctx context.Context) (_ map[string]figure, err error) {
	q, err := b.find(linked)
	if err != nil {
		return nil, err
	}
	slow := *b
	slow.queries = []query{q}
	slow.queries[0].sets = q.sets[:min(16, len(q.sets))] // recording the answers is slow too
	l, err := slow.openLab(ctx, latency)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if err := l.addGateways(ctx, fastPath, reference); err != nil {
		return nil, err
	}
	if err := l.addFloor(ctx); err != nil {
		return nil, err
	}
	found := map[string]figure{}
	for _, p := range l.servers {
		s, err := l.sample(ctx, p, slow.queries[0], 1, l.lasts)
		if err != nil {
			return nil, err
		}
		found[p.name] = figureOf([]sample{s})
	}
	return found, nil
}
