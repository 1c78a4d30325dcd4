package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"pixgraph/internal/process"
	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
)

// outage has the core API hang under many clients of a gateway with its default settings, and measures clients that need the
// dispatcher only; then it measures a small caller next to a greedy one. It fails if a measured client is refused, or if the
// circuit breakers are in the wrong state, never for a time, since all clients share the machine with the gateway.
type outage struct {
	*tool
	baseline, hang, greed time.Duration
	clients               int // of the core
	records               int // of each kind in the sandbox
}

func newOutage(t *tool, flags *flag.FlagSet) func(context.Context) error {
	o := &outage{tool: t, records: 4000} // enough that hundreds of clients do not send the same calls
	flags.DurationVar(&o.hang, "hang", 30*time.Second, "how long the core hangs")
	flags.DurationVar(&o.baseline, "baseline", 5*time.Second, "how long to measure without that")
	flags.DurationVar(&o.greed, "greed", 6*time.Second, "how long one caller sends fifty times as much as another")
	flags.IntVar(&o.clients, "clients", 200, "clients that need the core")
	return o.run
}

// part is a measurement of some clients, first alone and then next to others: of the dispatcher's while the core hangs under
// its own, or of a small caller next to a greedy one.
type part struct {
	name          string
	hang, patient bool // whether the core hangs, and its clients wait after an error
	alone, during observation
	others        totals
	calls         int           // that the core got
	recovery      time.Duration // from the end of the outage to the first good answer
}

// run makes the measurements, each with a gateway of its own, writes the report, and judges them.
func (o *outage) run(ctx context.Context) (err error) {
	parts := []*part{
		{name: "core hangs, patient clients", hang: true, patient: true}, {name: "core hangs, hammering clients", hang: true}, {name: "greedy caller"},
	}
	for _, p := range parts {
		o.logf("%s", p.name)
		failed := o.withGateway(ctx, o.records, nil, func(box *sandbox.Sandbox, gateway *process.Process) error {
			return (&scenario{outage: o, box: box, gateway: gateway}).measure(ctx, p)
		})
		if failed != nil {
			return fmt.Errorf("%s: %w", p.name, failed)
		}
		err = errors.Join(err, p.judge())
	}
	_, failed := io.WriteString(o.stdout, o.report(parts))
	return errors.Join(err, failed)
}

// judge fails if a measured client was refused, and if the circuit breakers are in the wrong state at the end of an outage.
func (p *part) judge() (err error) {
	for _, o := range []observation{p.alone, p.during} {
		if o.requests() == 0 || o.Outcomes[ok] != o.requests() {
			err = errors.Join(err, fmt.Errorf("%s: measured clients were refused: %s", p.name, counted(o.Outcomes)))
		}
	}
	if p.hang && (!p.during.coreOpen || p.during.dispatcherOpen) {
		err = errors.Join(err, fmt.Errorf("%s: circuit breakers at the end: core open %t, dispatcher open %t", p.name, p.during.coreOpen, p.during.dispatcherOpen))
	}
	return err
}

// scenario is a gateway over a sandbox whose core hangs or does not.
type scenario struct {
	*outage
	box     *sandbox.Sandbox
	gateway *process.Process
	hangs   atomic.Bool
}

// The clients of the dispatcher send a thousand requests a second, a small part of what a gateway answers on one core. Each
// connection of the small and the greedy caller has 16 calls under way at a time, so that turns are scarce while the core takes
// coreLatency.
const (
	dispatcherClients = 10
	dispatcherPace    = 10 * time.Millisecond
	smallClients      = 2
	greedyClients     = 50 * smallClients
	operationCalls    = client.DefaultOperationConcurrency
	coreLatency       = 20 * time.Millisecond
)

func (s *scenario) measure(ctx context.Context, p *part) (err error) {
	l, duration, fault := s.newLoad(smallClients, s.statements("small")), s.greed, sandbox.Fault{Service: sandbox.Core, Latency: coreLatency}
	others := &background{Address: s.gateway.Address, Clients: greedyClients, Requests: s.statements("greedy")}
	if p.hang {
		l, duration = s.newLoad(dispatcherClients, s.dispatcherRequests()), s.hang
		l.pace = dispatcherPace
		others.Clients, others.Requests, others.Patient = s.clients, s.coreRequests(), p.patient
		// Calls that hang do so until the end, like those that a service has lost.
		fault = sandbox.Fault{Service: sandbox.Core, Kind: sandbox.FaultHang, Match: func(*http.Request) bool { return s.hangs.Load() }}
	}
	defer l.close()
	s.box.Inject(fault)
	if _, err := l.run(ctx, min(time.Second, s.baseline)); err != nil { // warms up the gateway
		return err
	}
	if p.alone, err = s.observe(ctx, l, s.baseline); err != nil {
		return err
	}
	s.hangs.Store(true)
	s.box.ResetCalls()
	p.others, err = others.runWhile(ctx, func(running *process.Process) (err error) {
		p.during, err = s.observe(ctx, l, duration)
		p.calls = s.box.Counters().Core
		s.hangs.Store(false)
		for ended, t := time.Now(), (totals{}); err == nil && t.FirstOK.IsZero(); p.recovery = t.FirstOK.Sub(ended) {
			if time.Since(ended) > time.Minute {
				return errors.New("no good answer of the core within a minute")
			}
			_ = wait(ctx, dispatcherPace)
			t, err = readTotals(ctx, running)
		}
		return err
	})
	return err
}

// observation is what clients observed, and the state of the gateway at the end.
type observation struct {
	sample
	coreOpen, dispatcherOpen bool // whether the circuit breaker is open or half-open
}

// observe measures the clients of a load.
func (s *scenario) observe(ctx context.Context, l *load, duration time.Duration) (o observation, err error) {
	if o.sample, err = l.measure(ctx, s.gateway, duration); err != nil {
		return o, err
	}
	text, err := s.gateway.Get(ctx, "/metrics")
	core, noCore := process.Metric(text, `pixgraph_upstream_breaker_state{service="core",state="closed"}`)
	dispatcher, noDispatcher := process.Metric(text, `pixgraph_upstream_breaker_state{service="dispatcher",state="closed"}`)
	o.coreOpen, o.dispatcherOpen = core == 0, dispatcher == 0
	return o, errors.Join(err, noCore, noDispatcher)
}

// newLoad sends requests, each of them from one client only.
func (s *scenario) newLoad(clients int, requests [][]byte) *load {
	return newLoad(s.gateway.Address, clients, func(ctx context.Context, c *connection, n int) (string, time.Duration, error) {
		code, _, err := ask(ctx, c, requests[(c.id+n*clients)%len(requests)])
		return code, 0, err
	})
}

// requests renders n requests, of callers in turn who may read everything.
func (s *scenario) requests(caller string, callers, n int, body func(i int) (document, variable string, value any)) [][]byte {
	tokens, all := make([]string, callers), make([][]byte, n)
	for i := range tokens {
		tokens[i] = s.box.Issuer().Mint(issuer.Grant{Subject: fmt.Sprint(caller, i), Scopes: []string{issuer.ScopeDispatcher}, TTL: time.Hour})
	}
	for i := range all {
		name, variable, value := body(i)
		all[i] = post("/graphql", tokens[i%callers], operation{Query: document(name), Variables: map[string]any{variable: value}})
	}
	return all
}

// dispatcherRequests need the dispatcher only.
func (s *scenario) dispatcherRequests() [][]byte {
	notifications := s.box.Ledger().Notifications()
	return s.requests("dispatcher", 5, 1000, func(i int) (string, string, any) { return "delivery", "id", notifications[i%len(notifications)].ID })
}

// coreRequests need the core, each with a call of its own.
func (s *scenario) coreRequests() [][]byte {
	const least = 10 // the least amount that the APIs accept, in cents (spec 4.1 and 4.2)
	transactions := s.box.Ledger().Transactions()
	return s.requests("core", 20, 20*s.clients, func(i int) (string, string, any) {
		if i%3 == 2 {
			return "single", "id", transactions[i%len(transactions)].ID
		}
		return []string{"incoming", "outgoing"}[i%3], "least", i + least
	})
}

// statements are of one caller. Each needs as many calls as an operation may have under way.
func (s *scenario) statements(caller string) [][]byte {
	transactions := s.box.Ledger().Transactions()
	return s.requests(caller, 1, len(transactions)/operationCalls, func(i int) (string, string, any) {
		ids := make([]string, operationCalls)
		for j := range ids {
			ids[j] = transactions[i*operationCalls+j].ID
		}
		return "statement", "ids", ids
	})
}

// report is the figures of all measurements.
func (o *outage) report(parts []*part) string {
	var rows [][]string
	var others strings.Builder
	for _, p := range parts {
		for i, o := range []observation{p.alone, p.during} {
			rows = append(rows, []string{
				p.name, []string{"before", "meanwhile"}[i], fmt.Sprint(o.requests()), millis(o.percentile(50)), millis(o.percentile(99)), counted(o.Outcomes),
				mebibytes(o.usage.RSS), mebibytes(o.usage.Peak), fmt.Sprintf("%.0f %%", 100*float64(o.cpu)/float64(max(o.elapsed, 1))),
			})
		}
		fmt.Fprintf(&others, "%s: %d calls of the core; answers to the others: %s", p.name, p.calls, counted(p.others.Outcomes))
		if p.hang {
			fmt.Fprintf(&others, "; the first good one %s after the outage", p.recovery.Round(time.Millisecond))
		}
		others.WriteString("\n")
	}
	return fmt.Sprintf("The core hangs for %s under %d clients; %d clients of the dispatcher send a request every %s each.\n"+
		"A small caller sends over %d connections, a greedy one over %d, for %d transactions each time; the core takes %s.\n\n%s\n%s",
		o.hang, o.clients, dispatcherClients, dispatcherPace, smallClients, greedyClients, operationCalls, coreLatency,
		table([]string{"measured clients", "", ">requests", ">p50", ">p99", ">answers", ">RSS", ">peak RSS", ">processor"}, rows), others.String())
}
