package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"pixgraph/internal/process"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// soak runs a gateway under load for minutes or hours, over a sandbox with changing faults. It fails if the gateway's
// memory, goroutines or file descriptors keep growing. A cycle is a load with faults, then a rest, then a reading.
type soak struct {
	*tool
	duration time.Duration

	box     *sandbox.Sandbox
	gateway *process.Process
	fault   int      // the index of the next fault
	tokens  []string // of the cycle
}

func newSoak(t *tool, flags *flag.FlagSet) func(context.Context) error {
	s := &soak{tool: t}
	flags.DurationVar(&s.duration, "duration", 10*time.Minute, "how long to soak")
	return s.run
}

// maxConnections is the number of calls to an API that may be in flight, and so of connections to it that may be kept.
const maxConnections = 32

// run runs the cycles, logs the reading of each, and checks the readings. The gateway has shorter timeouts than by
// default, so that an API that hangs does not fill a cycle. Its circuit breakers open only if nearly all calls fail, so
// that most calls meet a fault.
func (s *soak) run(ctx context.Context) (err error) {
	s.box, s.gateway, err = s.startBoth(ctx, 300,
		"--paging-page-param=page", "--paging-per-page-param=perPage", "--links-metadata-pointer=/notificationIds",
		fmt.Sprintf("--upstream-concurrency=%d", maxConnections), "--upstream-timeout=1s", "--operation-timeout=3s",
		"--upstream-breaker-percent=90")
	if err != nil {
		return err
	}
	if err := s.fill(ctx); err != nil {
		return err
	}
	var readings []reading
	for began := time.Now(); len(readings) == 0 || time.Since(began) < s.duration; {
		measured, err := s.cycle(ctx)
		if err != nil {
			return err
		}
		r, err := s.read(ctx)
		if err != nil {
			return err
		}
		readings = append(readings, r)
		s.logf("%s: responses %s; RSS %.1f MiB, heap %.2f MiB, %.0f goroutines, %.0f file descriptors", time.Since(began).Round(time.Second),
			counted(measured.Outcomes), r[0], r[1], r[2], r[3])
	}
	return checkReadings(s.stdout, readings)
}

// fill fills the gateway's caches of documents, so that later growth has another cause.
func (s *soak) fill(ctx context.Context) error {
	const documents = 2500 // more than any cache of documents holds
	s.renewTokens()
	c := newConnection(0, s.gateway.Address)
	defer c.close()
	for n := range documents {
		if _, err := s.send(ctx, c, registered(n), s.tokens[0], n); err != nil {
			return err
		}
	}
	return nil
}

// cycle lets the clients send requests for a twentieth of the duration, while the next faults are injected.
func (s *soak) cycle(ctx context.Context) (sample, error) {
	duration := min(max(s.duration/20, time.Second), 30*time.Second)
	s.renewTokens()
	l := newLoad(16, s.request, s.gateway.Address)
	defer l.close()
	faulty, end := context.WithTimeout(ctx, duration)
	var injecting sync.WaitGroup
	injecting.Go(func() { s.injectFaults(faulty, duration) })
	measured, err := l.run(ctx, duration)
	end()
	injecting.Wait()
	s.box.ResetCalls()
	return measured, err
}

// renewTokens mints the tokens of a cycle: for callers with different scopes, and two that the gateway rejects. There
// are few tokens, because the gateway may keep each of them until it expires.
func (s *soak) renewTokens() {
	s.tokens = nil
	for i := range 16 {
		grant := issuer.Grant{Subject: fmt.Sprintf("caller-%d", i), TTL: time.Minute}
		if i%4 != 0 {
			grant.Scopes = []string{issuer.ScopeDispatcher}
		}
		s.tokens = append(s.tokens, s.box.Issuer().Mint(grant))
	}
	s.tokens = append(s.tokens, s.box.Issuer().Mint(issuer.Grant{TTL: -time.Hour}), s.box.Issuer().Mint(issuer.Grant{Audience: []string{"another"}}))
}

// reading is what a gateway at rest uses after a cycle: the quantities in their order.
type reading [4]float64

// quantities are what must not keep growing, with the growth that is accepted: differences between two readings, and
// caches up to their bounds.
var quantities = [len(reading{})]struct {
	name  string
	slack float64
}{{"RSS in MiB", 32}, {"heap in MiB", 4}, {"goroutines", 32}, {"file descriptors", 2 * maxConnections}} // kept connections to two APIs

// read waits until the numbers of goroutines and file descriptors no longer fall, at most ten seconds, and returns a
// reading.
func (s *soak) read(ctx context.Context) (now reading, err error) {
	before, err := s.readOnce(ctx)
	for try := 0; err == nil && try < 50; try++ {
		if err = wait(ctx, 200*time.Millisecond); err != nil {
			break
		}
		if now, err = s.readOnce(ctx); now[2] >= before[2] && now[3] >= before[3] {
			break
		}
		before = now
	}
	return now, err
}

// readOnce makes the gateway collect its garbage, and reads what it uses afterwards.
func (s *soak) readOnce(ctx context.Context) (reading, error) {
	_, noCollection := s.gateway.Get(ctx, "/debug/pprof/heap?gc=1")
	heap, noHeap := s.gateway.Metric(ctx, "go_memstats_heap_alloc_bytes")
	goroutines, noGoroutines := s.gateway.Metric(ctx, "go_goroutines")
	usage, noUsage := s.gateway.Usage()
	err := errors.Join(noCollection, noHeap, noGoroutines, noUsage)
	return reading{float64(usage.RSS) / mebibyte, heap / mebibyte, goroutines, float64(usage.Files)}, err
}

// checkReadings compares the medians of the last third of the readings with those of the first third. It ignores the
// first tenth.
func checkReadings(out io.Writer, readings []reading) error {
	if len(readings) < 5 { // one while caches fill, and two for each end
		return errors.New("too few readings: at least five cycles are needed")
	}
	readings = readings[max(1, len(readings)/10):]
	third := max(2, len(readings)/3)
	var rows [][]string
	var grown []string
	for i, q := range quantities {
		var values []float64
		for _, r := range readings {
			values = append(values, r[i])
		}
		first, last := median(values[:third]), median(values[len(values)-third:])
		rows = append(rows, []string{q.name, fmt.Sprintf("%.1f", first), fmt.Sprintf("%.1f", last)})
		if last > first+q.slack {
			grown = append(grown, q.name)
		}
	}
	_, err := io.WriteString(out, table([]string{"median of", ">first third", ">last third"}, rows))
	if len(grown) > 0 {
		err = errors.New("these keep growing: " + strings.Join(grown, ", "))
	}
	return err
}
