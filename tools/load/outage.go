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
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/sandbox/ledger"
	"pixgraph/upstream/client"
)

// outage lets the core API hang under many clients of a gateway with its default settings, and measures clients that
// need the dispatcher only. It fails if a request of a measured client is rejected, or if the circuit breakers are in
// the wrong state. It never fails for a latency, since all clients share the machine with the gateway.
type outage struct {
	*tool
	hang time.Duration // how long the core hangs
}

func newOutage(t *tool, flags *flag.FlagSet) func(context.Context) error {
	o := &outage{tool: t}
	flags.DurationVar(&o.hang, "hang", 30*time.Second, "how long the core hangs")
	return o.run
}

// part is a measurement of clients of the dispatcher, first alone and then while the core hangs under its clients.
type part struct {
	name          string
	backoff       bool // whether the clients of the core wait after an error
	alone, during observation
	others        totals
	calls         int           // that the core received
	recovery      time.Duration // from the end of the outage to the first successful response
}

// run makes the measurements, each with a new gateway, checks them, and writes the report.
func (o *outage) run(ctx context.Context) (err error) {
	parts := []*part{{name: "clients with backoff", backoff: true}, {name: "clients without backoff"}}
	for _, p := range parts {
		o.logf("%s", p.name)
		failed := o.during(func() error {
			box, gateway, err := o.startBoth(ctx, coreRecords)
			if err != nil {
				return err
			}
			return (&scenario{outage: o, box: box, gateway: gateway}).measure(ctx, p)
		})
		if failed != nil {
			return fmt.Errorf("%s: %w", p.name, failed)
		}
		err = errors.Join(err, p.check())
	}
	_, failed := io.WriteString(o.stdout, o.report(parts))
	return errors.Join(err, failed)
}

// check fails if a request of a measured client was rejected, or if the circuit breakers are in the wrong state at the
// end of an outage.
func (p *part) check() (err error) {
	for _, o := range []observation{p.alone, p.during} {
		if o.requests() == 0 || o.Outcomes[ok] != o.requests() {
			err = errors.Join(err, fmt.Errorf("%s: not every request of the measured clients succeeded: %s", p.name, counted(o.Outcomes)))
		}
	}
	if !p.during.coreOpen || p.during.dispatcherOpen {
		err = errors.Join(err, fmt.Errorf("%s: circuit breakers at the end: core open %t, dispatcher open %t", p.name, p.during.coreOpen, p.during.dispatcherOpen))
	}
	return err
}

// scenario is a gateway over a sandbox whose core can hang.
type scenario struct {
	*outage
	box     *sandbox.Sandbox
	gateway *process.Process
	hangs   atomic.Bool
}

// The clients of the dispatcher send a thousand requests a second, a small part of what a gateway serves on one core.
const (
	baseline          = 5 * time.Second // how long to measure before the core hangs
	coreClients       = 200
	coreRecords       = 20 * coreClients // of each kind, so that the clients do not send the same calls
	dispatcherClients = 10
	dispatcherPace    = 10 * time.Millisecond
	smallClients      = 2
	operationCalls    = client.DefaultOperationConcurrency
)

func (s *scenario) measure(ctx context.Context, p *part) (err error) {
	l := s.newLoad(dispatcherClients, s.dispatcherRequests())
	l.pace = dispatcherPace
	defer l.close()
	others := &background{Address: s.gateway.Address, Clients: coreClients, Requests: s.coreRequests(), Backoff: p.backoff}
	// Calls that hang never get a response, like calls that a service has lost.
	s.box.Inject(sandbox.Fault{Service: sandbox.Core, Kind: sandbox.FaultHang, Match: func(*http.Request) bool { return s.hangs.Load() }})
	if _, err := l.run(ctx, min(time.Second, s.hang)); err != nil { // warms up the gateway
		return err
	}
	if p.alone, err = s.observe(ctx, l, min(baseline, s.hang)); err != nil {
		return err
	}
	s.hangs.Store(true)
	s.box.ResetCalls()
	running, err := s.startRole(ctx, "clients", backgroundRole, others)
	if err != nil {
		return err
	}
	p.during, err = s.observe(ctx, l, s.hang)
	p.calls = s.box.Counters().Core
	s.hangs.Store(false)
	for ended := time.Now(); err == nil && p.others.FirstOK.IsZero(); p.recovery = p.others.FirstOK.Sub(ended) {
		if time.Since(ended) > time.Minute {
			return errors.New("no successful response from the core within a minute")
		}
		_ = wait(ctx, dispatcherPace)
		p.others, err = readTotals(ctx, running)
	}
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

// newLoad returns a load whose clients take turns to send the requests, as those in the background do.
func (s *scenario) newLoad(clients int, requests [][]byte) *load {
	b := &background{Clients: clients, Requests: requests}
	return newLoad(s.gateway.Address, clients, b.exchange)
}

// requests returns a request of a document for each value of its variable, by callers in turn, which have all scopes.
func (s *scenario) requests(caller string, callers int, name, variable string, values []any) [][]byte {
	tokens, all := make([]string, callers), make([][]byte, len(values))
	for i := range tokens {
		tokens[i] = s.box.Issuer().Mint(issuer.Grant{Subject: fmt.Sprint(caller, i), Scopes: []string{issuer.ScopeDispatcher}, TTL: time.Hour})
	}
	for i, value := range values {
		all[i] = post("/graphql", tokens[i%callers], operation{Query: document(name), Variables: map[string]any{variable: value}})
	}
	return all
}

// idsOf returns the ids of records.
func idsOf(entries []*ledger.Entry) (ids []any) {
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// dispatcherRequests returns requests that need only the dispatcher.
func (s *scenario) dispatcherRequests() [][]byte {
	return s.requests("dispatcher", 5, "delivery", "id", idsOf(s.box.Ledger().Notifications()[:1000]))
}

// coreRequests returns requests that need the core, each with a different call.
func (s *scenario) coreRequests() [][]byte {
	return s.requests("core", 20, "Q1", "id", idsOf(s.box.Ledger().Transactions()))
}

// report returns the figures of all measurements.
func (o *outage) report(parts []*part) string {
	var rows [][]string
	var others strings.Builder
	for _, p := range parts {
		for i, o := range []observation{p.alone, p.during} {
			rows = append(rows, []string{
				p.name, []string{"before", "during"}[i], fmt.Sprint(o.requests()), millis(o.percentile(50)), millis(o.percentile(99)), counted(o.Outcomes),
				mebibytes(o.usage.RSS), mebibytes(o.usage.Peak), fmt.Sprintf("%.0f %%", 100*float64(o.cpu)/float64(max(o.elapsed, 1))),
			})
		}
		fmt.Fprintf(&others, "%s: %d calls to the core; responses to the other clients: %s; the first successful one %s after the outage\n",
			p.name, p.calls, counted(p.others.Outcomes), p.recovery.Round(time.Millisecond))
	}
	return fmt.Sprintf("The core hangs for %s under %d clients; each of %d clients of the dispatcher sends a request every %s.\n\n%s\n%s",
		o.hang, coreClients, dispatcherClients, dispatcherPace,
		table([]string{"measured clients", "", ">requests", ">p50", ">p99", ">responses", ">RSS", ">peak RSS", ">processor"}, rows), others.String())
}
