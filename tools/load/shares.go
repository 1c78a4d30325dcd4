package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"pixgraph/internal/process"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// shares measures what one caller can take from the others: a small caller next to a large one, whose requests are
// usual ones in one round, and an attack by as many connections in the next. It fails if a request of the small caller
// fails; its ratios are in the report.
type shares struct {
	*tool
	window time.Duration
	only   string
	many   int // clients of each attack; 0 for its own number
}

func newShares(t *tool, flags *flag.FlagSet) func(context.Context) error {
	s := &shares{tool: t}
	flags.DurationVar(&s.window, "window", 5*time.Second, "how long to measure each round")
	flags.StringVar(&s.only, "only", "", "the attacks whose names have this `text`; all if it is empty")
	flags.IntVar(&s.many, "clients", 0, "the `number` of clients of each attack, instead of its own")
	return s.run
}

// attack is what a large caller does.
type attack struct {
	name     string
	clients  int
	callers  int           // that the clients are; 0 for one
	sockets  bool          // whether its requests are messages of WebSockets
	leave    time.Duration // after which its clients close their connections; 0 for never
	fault    sandbox.Fault // of the calls that its token makes; none with the zero value
	requests func(s *scenario, token string) [][]byte
	usual    func(s *scenario, token string) [][]byte // instead of queries for a transaction each; nil for those
	flags    []string                                 // of the gateway
}

// pixText is a Pix code whose check is right.
const pixText = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D"

// queried is the number of transactions that queries read.
const queried = 1000

// transactions returns the usual requests, each for another record.
func transactions(s *scenario, token string) (all [][]byte) {
	for _, id := range idsOf(s.box.Ledger().Transactions()[:queried]) {
		all = append(all, post("/graphql", token, operation{Query: document("Q1"), Variables: map[string]any{"id": id}}))
	}
	return all
}

// documentOf returns a request of a document, with headers.
func documentOf(text string, headers ...string) func(*scenario, string) [][]byte {
	return func(_ *scenario, token string) [][]byte {
		return [][]byte{post("/graphql", token, operation{Query: text}, headers...)}
	}
}

// aliased returns a document with a selection by several names.
func aliased(n int, selection string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, " a%d:%s", i, selection)
	}
	return b.String() + " }"
}

func attacks() []attack {
	const aliases = 4
	introspection := aliased(aliases, "__schema{types{name fields{name args{name type{name}} type{name}}}}")
	statements := func(s *scenario, token string) (all [][]byte) {
		ids := idsOf(s.box.Ledger().Transactions())
		for n := range 50 {
			all = append(all, post("/graphql", token, operation{Query: document("statement"), Variables: map[string]any{"ids": ids[16*n : 16*n+16]}}))
		}
		return all
	}
	failing := func(s *scenario, token string) [][]byte { return transactions(s, token)[:1] }
	bodies := func(_ *scenario, token string) [][]byte {
		escapes := strings.Repeat("\x01", 150<<10) // each takes six bytes
		return [][]byte{post("/graphql", token, operation{Query: "{__typename}", Variables: map[string]any{"unknown": escapes}})}
	}
	lists := func(_ *scenario, token string) (all [][]byte) {
		for n := range 32 {
			var b strings.Builder
			for i := range operationCalls {
				fmt.Fprintf(&b, " a%d: deposits(filter: {minAmount: %d}) { totalCount }", i, operationCalls*n+i+1)
			}
			all = append(all, post("/graphql", token, operation{Query: "{" + b.String() + " }"}))
		}
		return all
	}
	summaries := "depositSummary(groupBy: [DAY, STATUS, ORIGIN]) { count amount groups { day count amount } }"
	records := func(selection string, headers ...string) func(*scenario, string) [][]byte {
		text := "query ($ids: [ID!]!) { transactions(ids: $ids) { id " + selection + " } }"
		return func(s *scenario, token string) (all [][]byte) {
			ids := idsOf(s.box.Ledger().Transactions())
			for n := range 50 {
				all = append(all, post("/graphql", token, operation{Query: text, Variables: map[string]any{"ids": ids[10*n : 10*n+10]}}, headers...))
			}
			return all
		}
	}
	whole := records("customer { name } notifications { nodes { id status } }")
	parts := records("... @defer { customer { name } notifications { nodes { id ... @defer { status } } } }",
		"Accept: multipart/mixed; deferSpec=20220824, application/json")
	messages := func(_ *scenario, token string) [][]byte {
		all := [][]byte{[]byte(`{"type":"connection_init","payload":{"Authorization":"Bearer ` + token + `"}}`)}
		for n := range 100 {
			all = append(all, fmt.Appendf(nil, `{"type":"subscribe","id":"%d","payload":{"query":"{ deposits(filter: {minAmount: %d}) { nodes { id amount status } } }"}}`, n+1, n))
		}
		return all
	}
	tool := func(method string) func(*scenario, string) [][]byte {
		return func(_ *scenario, token string) [][]byte {
			return [][]byte{message("/mcp", token, []byte(`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`), "Accept: application/json, text/event-stream")}
		}
	}
	assistants := []string{"--mcp=on", "--public-url=http://127.0.0.1:8080"}
	paged := []string{"--paging-page-param=page", "--paging-per-page-param=perPage"}
	return []attack{
		{name: "failing record", clients: 8, fault: sandbox.Fault{Status: http.StatusInternalServerError}, requests: failing},
		{name: "hanging record", clients: 32, fault: sandbox.Fault{Kind: sandbox.FaultHang}, requests: failing},
		{name: "slow lists", clients: 32, fault: sandbox.Fault{Latency: 3 * time.Second}, requests: lists},
		{name: "introspection", clients: 300, requests: documentOf(introspection)},
		{name: "introspection next to a call", clients: 300, fault: sandbox.Fault{Latency: 3 * time.Second}, requests: documentOf(introspection[:len(introspection)-1] + "deposits { totalCount } }")},
		{name: "large bodies", clients: 64, requests: bodies},
		{name: "compressed responses", clients: 64, requests: documentOf(document("Q3"), "Accept-Encoding: gzip"), flags: paged},
		{name: "downloads", clients: 64, requests: documentOf("{ deposits { nodes { id amount status } } }", "Accept: text/csv"), flags: paged},
		{name: "16 records each", clients: 100, requests: statements},
		{name: "clients that leave", clients: 48, leave: 20 * time.Millisecond, requests: statements},
		{name: "connections that leave", clients: 48, leave: 2 * time.Millisecond, requests: transactions},
		{name: "all fields", clients: 64, requests: documentOf(document("Q3")), flags: paged},
		{name: "twelve fields of lists", clients: 48, requests: documentOf("{ deposits { nodes { id amount status acquirer createdAt updatedAt amountPaid paymentDate depositOrigin endToEnd paymentMethod feeAmount } } }")},
		{name: "sum of 2,000 records", clients: 4, requests: documentOf("{ " + summaries + " }"), flags: paged},
		{name: "ten sums", clients: 4, requests: documentOf(aliased(10, summaries)), flags: paged},
		{name: "Pix codes", clients: 48, requests: documentOf(aliased(50, `pixCode(text: "`+pixText+`") { problems { code } amount merchantName }`))},
		{name: "deferred parts", clients: 48, requests: parts, usual: whole, flags: []string{"--links-metadata-pointer=/notificationIds"}},
		{name: "operations of WebSockets", clients: 2, sockets: true, requests: messages},
		{name: "pings of assistants", clients: 48, requests: tool("ping"), flags: assistants},
		{name: "tools of assistants", clients: 48, requests: tool("tools/list"), flags: assistants},
		{name: "heavy lists", clients: 200, callers: 20, requests: documentOf(document("heavy")), flags: append(paged, "--limits-memory=98MiB")},
	}
}

// round is what the small caller observed.
type round struct {
	sample
	health time.Duration // the slowest response to a probe
	paid   time.Duration // the longest time until a stream of a third caller had the change of its payment
	others totals
}

func (s *shares) run(ctx context.Context) (err error) {
	var rows [][]string
	for _, a := range attacks() {
		if !strings.Contains(a.name, s.only) {
			continue
		}
		s.logf("%s", a.name)
		a.clients = cmp.Or(s.many, a.clients)
		var usual, during round
		failed := s.during(func() error {
			box, gateway, err := s.startBoth(ctx, coreRecords, a.flags...)
			if err != nil {
				return err
			}
			at := &scenario{outage: &outage{tool: s.tool}, box: box, gateway: gateway}
			plain := attack{clients: a.clients, requests: transactions}
			if a.usual != nil {
				plain.requests = a.usual
			}
			if usual, err = s.measure(ctx, at, plain); err != nil {
				return err
			}
			during, err = s.measure(ctx, at, a)
			return err
		})
		if failed != nil {
			return fmt.Errorf("%s: %w", a.name, failed)
		}
		for i, r := range []round{usual, during} {
			rows = append(rows, []string{
				a.name, []string{"usual queries", "attack"}[i], fmt.Sprint(r.requests()), millis(r.percentile(50)), millis(r.percentile(99)),
				counted(r.Outcomes), millis(r.health), millis(r.paid), counted(r.others.Outcomes), mebibytes(r.usage.RSS),
			})
			if r.Outcomes[ok] != r.requests() {
				err = errors.Join(err, fmt.Errorf("%s: requests of the small caller failed: %s", a.name, counted(r.Outcomes)))
			}
		}
		rows = append(rows, []string{
			a.name, "ratio", "", ratio(during.percentile(50), usual.percentile(50)), ratio(during.percentile(99), usual.percentile(99)), "", "", "", "", "",
		})
	}
	names := []string{"the large caller", "sends", ">requests", ">p50", ">p99", ">responses", ">slowest /healthz", ">slowest PAID", ">responses of the large caller", ">RSS"}
	_, failed := io.WriteString(s.stdout, table(names, rows))
	return errors.Join(err, failed)
}

func ratio(a, b time.Duration) string { return fmt.Sprintf("%.2f", float64(a)/float64(max(b, 1))) }

// measure measures a small caller next to a large one.
func (s *shares) measure(ctx context.Context, at *scenario, a attack) (r round, err error) {
	mint := func(subject string) string {
		return at.box.Issuer().Mint(issuer.Grant{Subject: subject, Scopes: []string{issuer.ScopeDispatcher}, TTL: time.Hour})
	}
	token := mint("large")
	requests := a.requests(at, token)
	for n := 1; n < a.callers; n++ {
		requests = append(requests, a.requests(at, mint(fmt.Sprint("large ", n)))...)
	}
	if a.fault.Status != 0 || a.fault.Kind != "" || a.fault.Latency != 0 {
		a.fault.Token = token
		defer at.box.Inject(a.fault)()
	}
	small := at.requests("small", 1, "Q1", "id", idsOf(at.box.Ledger().Transactions()[100:200]))
	l := at.newLoad(smallClients, small)
	l.pace = dispatcherPace // so that most calls to the APIs are those of the large caller
	defer l.close()
	err = s.during(func() error {
		others, err := s.startRole(ctx, "clients", backgroundRole, &background{
			Address: at.gateway.Address, Clients: a.clients, Requests: requests, Leave: a.leave, Sockets: a.sockets,
		})
		if err != nil {
			return err
		}
		if _, err = l.run(ctx, time.Second); err != nil {
			return err
		}
		probing, stop := context.WithCancel(ctx)
		var probes sync.WaitGroup
		var noEvent error
		probes.Go(func() { r.health = probe(probing, at.gateway) })
		probes.Go(func() { r.paid, noEvent = watchPayments(probing, at, mint("watcher")) })
		r.sample, err = l.measure(ctx, at.gateway, s.window)
		stop()
		probes.Wait()
		err = errors.Join(err, noEvent)
		if err == nil {
			r.others, err = readTotals(ctx, others)
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
	defer context.AfterFunc(ctx, s.close)()
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
