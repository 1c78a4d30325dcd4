package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"time"

	"pixgraph/internal/process"
	"pixgraph/sandbox"
)

// bench compares processor time, latency and memory of the gateway with those of other servers. In each round the
// servers are loaded one after the other, so that other work of the machine affects all of them.
type bench struct {
	*tool
	before      string        // another binary of the gateway to compare with; "" for none
	rounds      int           // of all cells
	slice       time.Duration // of one cell in a round
	connections []int
	sets        int // number of sets of variables, for each query with variables

	box     *sandbox.Sandbox // the issuer of the tokens, and the records
	queries []query
	apis    *apis
	token   string
	standin *process.Process // for the APIs
	servers []*server
	began   time.Time
	machine string // description of the machine
	samples map[cell][]sample
}

// cell is what is measured in every round.
type cell struct {
	query, server string
	connections   int
}

func newBench(t *tool, flags *flag.FlagSet) func(context.Context) error {
	b := &bench{tool: t, rounds: 20, slice: 150 * time.Millisecond, connections: []int{1, 16, 64}, sets: 256}
	flags.BoolFunc("quick", "measure for less than a minute instead of three; the figures are less precise", func(string) error {
		b.rounds, b.slice = 1, 200*time.Millisecond
		return nil
	})
	flags.StringVar(&b.before, "before", "", "another `binary` of the gateway, to compare with under the same flags")
	return b.run
}

func (b *bench) run(ctx context.Context) error {
	if err := b.measure(ctx); err != nil {
		return err
	}
	report, err := b.report()
	if err != nil {
		return err
	}
	_, err = io.WriteString(b.stdout, report)
	return err
}

// measure starts the servers and makes all measurements.
func (b *bench) measure(ctx context.Context) (err error) {
	b.began, b.samples = time.Now(), map[cell][]sample{}
	if b.machine, err = machine(); err != nil {
		return err
	}
	if b.box, err = b.startSandbox(sandbox.Config{Records: b.sets * recordsPer, MoveEvery: -1}); err != nil {
		return err
	}
	b.queries, b.apis = newQueries(b.box.Ledger(), b.sets)
	b.token = token(b.box, "bench")
	if b.standin, err = b.startRole(ctx, "stand-in", scriptedRole, b.apis.responses); err != nil {
		return err
	}
	b.logf("starting the servers, recording responses")
	for _, name := range b.names() {
		s, err := b.start(ctx, name)
		if err != nil {
			return err
		}
		b.servers = append(b.servers, s)
		if err := b.record(ctx, s); err != nil {
			return err
		}
	}
	for round := range b.rounds {
		b.logf("round %d of %d", round+1, b.rounds)
		if err := b.measureRound(ctx, round); err != nil {
			return err
		}
	}
	return nil
}

// measureRound measures every cell for one slice. It measures the servers of a query one directly after the other, so
// that other work of the machine affects all of them, and in another order in each round.
func (b *bench) measureRound(ctx context.Context, round int) error {
	for _, q := range b.queries {
		for _, connections := range b.connections {
			for i := range b.servers {
				s := b.servers[(i+round)%len(b.servers)]
				if s.recorded[q.name] == nil {
					continue
				}
				measured, err := b.measureServer(ctx, s, q.name, connections, b.slice)
				if err != nil {
					return err
				}
				at := cell{q.name, s.Name, connections}
				b.samples[at] = append(b.samples[at], measured)
				s.peak = measured.usage.Peak
			}
		}
	}
	return nil
}

// measureServer sends the recorded requests of a query. A response that differs from the recorded one is an error: a
// server that does less work cannot be compared. Only the length and the first bytes are compared, to save processor
// time.
func (b *bench) measureServer(ctx context.Context, s *server, query string, connections int, duration time.Duration) (sample, error) {
	recorded := s.recorded[query]
	l := newLoad(connections, func(ctx context.Context, c *connection, n int) (string, time.Duration, error) {
		e := recorded[(n+c.id*len(recorded)/connections)%len(recorded)] // so that clients send different requests at the same time
		status, response, err := c.do(ctx, e.request)
		begin := e.response[:min(256, len(e.response))]
		if err == nil && (status != http.StatusOK || len(response) != len(e.response) || !bytes.HasPrefix(response, begin)) {
			err = fmt.Errorf("%s, %s over %d connections: a response differs from the recorded one: status %d, %.300q", s.Name, query, connections, status, response)
		}
		return ok, 0, err
	}, s.Address)
	defer l.close()
	if _, err := l.run(ctx, duration/6); err != nil { // warms up the server
		return sample{}, err
	}
	return l.measure(ctx, s.Process, duration)
}
