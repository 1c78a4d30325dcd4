package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"pixgraph/internal/process"
)

// shares measures what one caller can take from the others: a small caller next to a large one, whose requests are
// usual ones in one round, and an attack by as many connections in the next. An outage is measured in the same way: a
// small caller that needs the dispatcher only, first alone, and then while the core hangs under its clients. It fails
// if a request of the small caller fails, never for a latency, since all clients share the machine with the gateway.
type shares struct {
	*tool
	attacks []attack
	window  time.Duration
	only    string
	many    int // clients of each attack; 0 for its own number
}

func newOutage(t *tool, flags *flag.FlagSet) func(context.Context) error {
	s := &shares{tool: t, attacks: outages()}
	flags.DurationVar(&s.window, "hang", 30*time.Second, "how long the core hangs")
	return s.run
}

func newShares(t *tool, flags *flag.FlagSet) func(context.Context) error {
	s := &shares{tool: t, attacks: attacks()}
	flags.DurationVar(&s.window, "window", 5*time.Second, "how long to measure each round")
	flags.StringVar(&s.only, "only", "", "the attacks whose names have this `text`; all if it is empty")
	flags.IntVar(&s.many, "clients", 0, "the `number` of clients of each attack, instead of its own")
	return s.run
}

// round is what the small caller observed.
type round struct {
	sample
	health   time.Duration // the slowest response to a probe
	paid     time.Duration // the longest time until a stream of a third caller had the change of its payment
	others   totals
	closed   bool          // whether the circuit breaker of the core was closed at the end
	recovery time.Duration // from the end of an outage to the first successful response of the large caller
}

func (s *shares) run(ctx context.Context) (err error) {
	var rows [][]string
	for _, a := range s.attacks {
		if !strings.Contains(a.name, s.only) {
			continue
		}
		s.logf("%s", a.name)
		a.clients = cmp.Or(s.many, a.clients)
		var usual, during round
		failed := s.during(func() error {
			box, gateway, err := s.startBoth(ctx, accountRecords, a.flags...)
			if err != nil {
				return err
			}
			at := &scenario{box, gateway}
			plain := attack{clients: a.clients, requests: transactions, outage: a.outage}
			if a.usual != nil {
				plain.requests = a.usual
			}
			if a.outage {
				plain.clients = 0
			}
			if usual, err = s.measure(ctx, at, plain, min(s.window, 5*time.Second)); err != nil {
				return err
			}
			during, err = s.measure(ctx, at, a, s.window)
			return err
		})
		if failed != nil {
			return fmt.Errorf("%s: %w", a.name, failed)
		}
		for i, r := range []round{usual, during} {
			rows = append(rows, []string{
				a.name, []string{"before", "during"}[i], fmt.Sprint(r.requests()), millis(r.latencies.percentile(50)), millis(r.latencies.percentile(99)),
				counted(r.Outcomes), millis(r.health), orNothing(r.paid), counted(r.others.Outcomes), orNothing(r.recovery),
				mebibytes(r.usage.RSS), mebibytes(r.usage.Peak),
			})
			if r.Outcomes[ok] != r.requests() {
				err = errors.Join(err, fmt.Errorf("%s: requests of the small caller failed: %s", a.name, counted(r.Outcomes)))
			}
		}
		if a.outage && during.closed {
			err = errors.Join(err, fmt.Errorf("%s: the circuit breaker of the core did not open", a.name))
		}
		rows = append(rows, []string{a.name, "ratio", "", ratio(during, usual, 50), ratio(during, usual, 99), "", "", "", "", "", "", ""})
	}
	names := []string{
		"the large caller", "", ">requests", ">p50", ">p99", ">responses", ">slowest /healthz", ">slowest PAID",
		">responses of the large caller", ">its first success after it", ">RSS", ">peak RSS",
	}
	_, failed := io.WriteString(s.stdout, table(names, rows))
	return errors.Join(err, failed)
}

func ratio(a, b round, percent int) string {
	return fmt.Sprintf("%.2f", float64(a.latencies.percentile(percent))/float64(max(b.latencies.percentile(percent), 1)))
}

// orNothing returns a duration that only some attacks have.
func orNothing(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return millis(d)
}

// The clients of a small caller send a hundred requests a second each, a small part of what a gateway serves on one
// core, so that most calls to the APIs are those of the large caller.
const (
	smallPace      = 10 * time.Millisecond
	smallClients   = 2
	outageClients  = 10
	accountRecords = 4000 // of each kind, so that the clients of the large caller do not send the same calls
)

// measure measures a small caller next to a large one.
func (s *shares) measure(ctx context.Context, at *scenario, a attack, window time.Duration) (r round, err error) {
	callers := make([][][]byte, max(1, a.callers))
	for n := range callers {
		a.fault.Token = token(at.box, fmt.Sprint("large ", n))
		callers[n] = a.requests(at, a.fault.Token)
	}
	var large [][]byte // the callers take turns
	for i := range callers[0] {
		for _, requests := range callers {
			large = append(large, requests[i])
		}
	}
	clients, small := smallClients, requests("Q1", token(at.box, "small"), at.box.Ledger().Transactions()[100:200])
	if a.outage {
		a.fault.Token = ""
		clients, small = outageClients, requests("delivery", token(at.box, "small"), at.box.Ledger().Notifications()[:1000])
	}
	end := func() {}
	if a.fault.Status != 0 || a.fault.Kind != "" || a.fault.Latency != 0 {
		end = at.box.Inject(a.fault)
	}
	defer end()
	l := newLoad(clients, takeTurns(clients, small), at.gateway.Address)
	l.pace = smallPace
	defer l.close()
	err = s.during(func() error {
		others, err := s.startRole(ctx, "clients", backgroundRole, &background{
			Address: at.gateway.Address, Clients: a.clients, Requests: large, Leave: a.leave, Sockets: a.sockets, Backoff: a.backoff,
		})
		if err != nil {
			return err
		}
		if _, err = l.run(ctx, min(window, time.Second)); err != nil { // warms up
			return err
		}
		probing, stop := context.WithCancel(ctx)
		var probes sync.WaitGroup
		var noEvent error
		probes.Go(func() { r.health = probe(probing, at.gateway) })
		if !a.outage {
			probes.Go(func() { r.paid, noEvent = watchPayments(probing, at, token(at.box, "watcher")) })
		}
		r.sample, err = l.measure(ctx, at.gateway, window)
		stop()
		probes.Wait()
		closed, noBreaker := at.gateway.Metric(ctx, `pixgraph_upstream_breaker_state{service="core",state="closed"}`)
		if err = errors.Join(err, noEvent, noBreaker); err != nil {
			return err
		}
		r.closed = closed == 1
		end()
		ended := time.Now()
		for r.others, err = readTotals(ctx, others); err == nil && a.outage && a.clients > 0 && r.others.FirstOK.IsZero(); {
			if err = wait(ctx, smallPace); err != nil || time.Since(ended) > time.Minute {
				return errors.Join(err, errors.New("the large caller has no successful response within a minute after the outage"))
			}
			r.others, err = readTotals(ctx, others)
		}
		if r.others.FirstOK.After(ended) {
			r.recovery = r.others.FirstOK.Sub(ended)
		}
		return err
	})
	return r, err
}

// probe gets /healthz ten times a second, and returns the longest time that it took.
func probe(ctx context.Context, gateway *process.Process) (slowest time.Duration) {
	for wait(ctx, 100*time.Millisecond) == nil {
		began := time.Now()
		if _, err := gateway.Get(ctx, "/healthz"); err != nil && ctx.Err() == nil {
			return time.Hour
		}
		slowest = max(slowest, time.Since(began))
	}
	return slowest
}

// watchPayments opens a stream for one open payment after the other, pays it, and returns the longest time until the
// stream has that. No query reads these payments, which would make the gateway read them for the streams too.
func watchPayments(ctx context.Context, at *scenario, token string) (slowest time.Duration, err error) {
	for _, payment := range at.box.Ledger().Transactions()[queried:] {
		at.box.Ledger().SetStatus(payment.ID, "PENDING")
		noticed, err := watchPayment(ctx, at, token, payment.ID)
		if slowest = max(slowest, noticed); ctx.Err() != nil {
			return slowest, nil // the end of the measurement closed the stream
		}
		if err != nil {
			return slowest, err
		}
	}
	return slowest, nil
}

func watchPayment(ctx context.Context, at *scenario, token, id string) (noticed time.Duration, err error) {
	s, err := openStream(ctx, "sse", at.gateway.Address, token, operation{Query: document("live"), Variables: map[string]any{"id": id}})
	if err != nil {
		return 0, err
	}
	defer s.close()
	if _, err = s.next(); err != nil {
		return 0, err
	}
	at.box.Ledger().SetStatus(id, "PAID")
	began := time.Now()
	for event := []byte(nil); err == nil && member(event, "status") != "PAID"; {
		event, err = s.next()
	}
	return time.Since(began), err
}
