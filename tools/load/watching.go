package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"pixgraph/internal/process"
)

// watching is a measurement of streams.
type watching struct {
	name     string
	protocol string
	streams  int
	tokens   int // the streams take turns
	records  int // the tokens take turns
	status   string
	flags    []string      // of the gateway
	rest     time.Duration // between the first events and the measurement
	changes  time.Duration // between two changes, each of the next record; 0 for no changes
	nudges   bool          // whether a gateway gets a webhook for each change
	replicas int           // more gateways that share a Redis; the streams take turns, and webhooks go to the next one
	queries  bool          // whether queries are measured too, before the streams and next to them
	figures  func(observed) []figure
}

// observed is what a measurement found.
type observed struct {
	received
	usage      process.Usage // of the first gateway at the end
	goroutines float64       // for each stream
	cores      float64       // that the gateway used
	resting    float64       // reads per second between the first events and the changes
	reads      float64       // per second

	// Queries: before the streams, while they run, and at the same time at another gateway without streams, over the
	// same APIs.
	alone, during, apart sample
}

// nudgeSecret is the part of the path that webhooks are sent to.
const nudgeSecret = "load-tool-of-streams"

// watchRun is a measurement that is being made.
type watchRun struct {
	watching
	window   time.Duration
	token    string // of queries
	apis     *records
	clients  *watchers
	gateway  *process.Process // the first one
	gateways []*process.Process
	other    *process.Process // the gateway without streams; nil if no queries are measured
}

// observe makes a measurement with a new gateway.
func (s *streams) observe(ctx context.Context, w watching) (o observed, err error) {
	record, err := s.record(w.status)
	if err != nil {
		return o, err
	}
	window := max(s.window, w.rest/2) // at rest, records that began together are read together, minutes apart
	r := &watchRun{watching: w, window: window, token: s.tokens[0], apis: newRecords(record, w.records, s.tokens[:w.tokens])}
	base, flags := "http://"+s.serve(r.apis), w.flags
	if w.nudges {
		flags = append(flags, "--live-nudge-secret="+nudgeSecret)
	}
	if w.replicas > 0 {
		redis, _, err := s.startRedis()
		if err != nil {
			return o, err
		}
		flags = append(flags, "--redis-url=redis://"+redis.Address())
	}
	var addresses []string
	for i := range 1 + w.replicas {
		if r.gateway, err = s.startGateway(ctx, fmt.Sprint("gateway ", i), s.binary, s.box, base+coreBase, base+dispatcherBase, flags); err != nil {
			return o, err
		}
		r.gateways, addresses = append(r.gateways, r.gateway), append(addresses, r.gateway.Address)
	}
	r.gateway = r.gateways[0]
	if w.queries {
		if r.other, err = s.startGateway(ctx, "other gateway", s.binary, s.box, base+coreBase, base+dispatcherBase, flags); err != nil {
			return o, err
		}
	}
	if o.alone, _, err = r.query(ctx); err != nil {
		return o, err
	}
	without, err := r.gateway.Metric(ctx, "go_goroutines")
	if err != nil {
		return o, err
	}
	r.clients = &watchers{addresses: addresses, protocol: w.protocol, tokens: s.tokens[:w.tokens], records: w.records}
	watching, leave := context.WithCancel(ctx)
	r.clients.start(watching, w.streams)
	s.stops = append(s.stops, func() error {
		leave()
		r.clients.running.Wait()
		return nil
	})
	if err := r.await(ctx); err != nil {
		return o, err
	}
	reads := r.apis.reads.Load()
	if err := wait(ctx, w.rest); err != nil {
		return o, err
	}
	o.resting = float64(r.apis.reads.Load()-reads) / w.rest.Seconds()
	with, err := r.gateway.Metric(ctx, "go_goroutines")
	if err != nil {
		return o, err
	}
	o.goroutines = (with - without) / float64(w.streams)
	return o, r.measure(ctx, &o)
}

// measure measures the gateway for the window while records change, and waits until each stream has the last change.
func (r *watchRun) measure(ctx context.Context, o *observed) error {
	r.clients.forget()
	before, err := r.gateway.Usage()
	if err != nil {
		return err
	}
	began, reads := time.Now(), r.apis.reads.Load()
	var changing sync.WaitGroup
	var failed error
	changing.Go(func() { failed = r.change(ctx) })
	o.during, o.apart, err = r.query(ctx)
	changing.Wait()
	if err = errors.Join(err, failed, wait(ctx, r.window-time.Since(began))); err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	if o.usage, err = r.gateway.Usage(); err != nil {
		return err
	}
	o.cores, o.reads = (o.usage.CPU-before.CPU).Seconds()/took, float64(r.apis.reads.Load()-reads)/took
	if err := r.await(ctx); err != nil {
		return err
	}
	o.received = r.clients.result()
	for reason, events := range o.reasons {
		if reason != "SNAPSHOT" && reason != "CHANGED" {
			return fmt.Errorf("%d events have the reason %s", events, reason)
		}
	}
	return nil
}

// longest bounds the time until each stream has the newest version of its record.
const longest = 3 * time.Minute

// await waits until each stream has received the newest version of its record.
func (r *watchRun) await(ctx context.Context) error {
	for began := time.Now(); ; {
		behind, err := r.clients.behind(r.apis)
		if err != nil || behind == 0 {
			return err
		}
		if time.Since(began) > longest {
			return fmt.Errorf("%d streams lack the newest version after %s", behind, longest)
		}
		if err := wait(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// query measures the latency of queries of the record that is not watched, two hundred a second at each gateway. The
// clients and APIs of streams take processor time too, so only the difference between the two gateways is what streams
// cost queries.
func (r *watchRun) query(ctx context.Context) (at, apart sample, err error) {
	if !r.queries {
		return at, apart, nil
	}
	text := post("/graphql", r.token, operation{Query: document("Q1"), Variables: map[string]any{"id": recordID(r.records)}})
	measure := func(gateway *process.Process) (sample, error) {
		l := newLoad(4, takeTurns(4, [][]byte{text}), gateway.Address)
		defer l.close()
		l.pace = 20 * time.Millisecond
		return l.run(ctx, r.window)
	}
	var measuring sync.WaitGroup
	var notApart error
	measuring.Go(func() { apart, notApart = measure(r.other) })
	at, err = measure(r.gateway)
	measuring.Wait()
	return at, apart, errors.Join(err, notApart)
}

// change changes the records, one after the other.
func (r *watchRun) change(ctx context.Context) error {
	if r.changes == 0 {
		return nil
	}
	var webhooks []*connection
	for _, gateway := range r.gateways {
		c := newConnection(0, gateway.Address)
		defer c.close()
		webhooks = append(webhooks, c)
	}
	l := newLoad(1, func(ctx context.Context, _ *connection, n int) (_ string, _ time.Duration, err error) {
		n %= r.records
		r.apis.change(n)
		if r.nudges {
			_, _, err = webhooks[(n+1)%len(webhooks)].do(ctx, post("/nudge/"+nudgeSecret, "", operation{Query: recordID(n)}))
		}
		return ok, 0, err
	}, "")
	defer l.close()
	l.pace = r.changes
	_, err := l.run(ctx, r.window)
	return err
}
