package gateway_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"pixgraph/gateway"
	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
	"pixgraph/test/replica"
)

// TestLeaks searches for data that only its caller may read: the personal data of every record of the sandbox, and the
// tokens. Gateways process requests and streams that succeed, fail and are refused, with that data in them. The test
// then searches their logs, metrics and traces, the doctor's report, and everything in their responses except the data.

// leakSearch is a search of one gateway: what it searches for, and what it has seen.
type leakSearch struct {
	*replica.Replica
	t       *testing.T
	box     *replica.Sandbox
	secrets *finder
	sample  secrets // one of each member
	tokens  []string
	seen    leaksSeen
}

// leaksSeen is what gateways have shown: members in data, where they belong, and numbers.
type leaksSeen struct {
	answers, errors, spans int // responses, responses with errors, spans
	data                   map[string]bool
}

// leakRun is a gateway with settings, and what it is asked.
type leakRun struct {
	ask   func(*leakSearch)
	flags []string
}

// TestLeaks: no personal data and no tokens are in logs, metrics, traces, the greeting or any part of a response but
// its data. Every fault of an API is tested with a new gateway, whose circuit breakers are closed, and new doctors.
func TestLeaks(t *testing.T) {
	runs := map[string]leakRun{
		"operations and refusals": {ask: func(l *leakSearch) {
			for _, each := range l.tokens {
				l.sendOperations(each)
			}
			l.sendRefused(l.tokens[0], l.sample)
		}},
		"unusual requests": {ask: func(l *leakSearch) {
			l.sendUnusual(l.tokens[0], l.sample)
			l.tooLarge(l.tokens[0])
		}},
		"streams": {ask: func(l *leakSearch) {
			l.sendOperations(l.tokens[0])
			l.sendStreams(l.sample)
			for path, status := range map[string]int{leakNudge: http.StatusNoContent, leakNudge + "x": http.StatusNotFound} {
				if got := l.Send(l.Request(http.MethodPost, "/nudge/"+path, "{}"), nil).Status; got != status {
					l.t.Errorf("a webhook to %s: status %d", path, got)
				}
			}
		}, flags: []string{"--live-nudge-secret=" + leakNudge}},
	}
	for name, flags := range leakSettings(t) {
		runs[name] = leakRun{func(l *leakSearch) {
			few := maps.Clone(l.sample)
			maps.DeleteFunc(few, func(_, member string) bool { return !slices.Contains([]string{"name", "document", "email"}, member) })
			l.sendOperations(l.tokens[0])
			l.sendRefused(l.tokens[0], few)
			l.sendUnusual(l.tokens[0], few)
		}, flags}
	}
	synctest.Test(t, func(t *testing.T) {
		for name, fault := range leakFaults(replica.NewSandbox(t)) {
			runs[name] = leakRun{func(l *leakSearch) { l.sendDuring(fault) }, []string{"--upstream-timeout=1s"}}
		}
	})
	all := leaksSeen{data: map[string]bool{}}
	var mutex sync.Mutex
	t.Run("runs", func(t *testing.T) {
		for name, each := range runs {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					seen := each.search(t)
					mutex.Lock()
					defer mutex.Unlock()
					all.answers, all.errors, all.spans = all.answers+seen.answers, all.errors+seen.errors, all.spans+seen.spans
					maps.Copy(all.data, seen.data)
				})
			})
		}
	})
	for _, member := range []string{"name", "document", "value", "email", "key", "uri", "endToEnd", "externalCode", "street"} {
		if !all.data[member] {
			t.Errorf("no response data has a %s, so the test would not find a leak", member)
		}
	}
	if all.answers < 2000 || all.errors < 1000 || all.spans < 4000 {
		t.Errorf("%d responses, %d of them with errors, %d spans", all.answers, all.errors, all.spans)
	}
}

// leakSettings are settings that change what the gateway reports or refuses.
func leakSettings(t *testing.T) map[string][]string {
	t.Helper()
	manifest := filepath.Join(t.TempDir(), "trusted.json")
	text, err := json.Marshal(map[string]string{"lists": leakLists, "links": leakLinks})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{
		"with little shown":          {"--introspection=off", "--console=off", "--trace=off"},
		"with pages of another site": {"--cors-origins=https://app.example.com"},
		"with trusted documents":     {"--persisted-manifest=" + manifest, "--persisted-only=on"},
		"with tight limits":          {"--limits-cost=2", "--rate-identity=1", "--rate-identity-burst=2"},
		"with few turns":             {"--upstream-concurrency=1"},
		"with other calls":           {"--upstream-compression=on"},
	}
}

// search starts a gateway, sends requests to it, and searches what they return, and then its logs, metrics and traces.
func (r leakRun) search(t *testing.T) leaksSeen {
	box := replica.NewSandbox(t)
	all := secretsOf(t, box)
	if len(all) < 1000 {
		t.Fatalf("only %d secrets to search for", len(all))
	}
	l := &leakSearch{t: t, box: box, sample: sampleOf(all), seen: leaksSeen{data: map[string]bool{}}}
	l.tokens = leakTokens(box, gatewaytest.StartSandbox(t, sandbox.Config{Records: 1, Listen: box.Network.Listen}))
	for _, token := range l.tokens {
		all.addToken(token)
	}
	all.add("nudge", leakNudge)
	l.secrets = newFinder(all)
	flags := append(slices.Clone(r.flags), "--log-level=debug")
	if !slices.Contains(flags, "--trace=off") {
		flags = append(flags, "--trace=on")
	}
	var exporter keepingExporter
	l.Replica, exporter = startTraced(t, box, flags...)
	r.ask(l)
	for _, path := range []string{"/metrics", "/readyz", "/healthz", "/debug/pprof/"} {
		l.wantNoSecrets(path, string(l.Admin.Get(path).Body))
	}
	spans := exporter.stopped(l.Replica)
	log := l.Stderr.String()
	if strings.Count(log, `"msg":"operation"`) < 3 || len(spans) < 10 {
		t.Errorf("%d spans, and this log: %s", len(spans), log)
	}
	for line := range strings.Lines(log) {
		l.wantNoSecrets("the log", line+decoded([]byte(line)))
	}
	for _, span := range spans {
		l.wantNoSecrets("the span "+span.Name, spanText(span))
	}
	l.seen.spans = len(spans)
	l.wantNoSecrets("the first screen", l.Stdout.String())
	return l.seen
}

// sendDuring sends operations and streams while an API has a fault, and runs the doctor.
func (l *leakSearch) sendDuring(fault sandbox.Fault) {
	token := l.tokens[0]
	for _, service := range []string{sandbox.Dispatcher, sandbox.Core} { // in this order the breaker of the core stays closed
		fault.Service = service
		undo := l.box.Inject(fault)
		l.sendOperations(token)
		l.watch(leakProtocols[0], token, leakStream, map[string]any{"id": l.box.Samples().Transaction})
		l.watch(leakProtocols[2], token, leakNoticeStream, map[string]any{"id": l.box.Ledger().Notifications()[0].ID})
		flags := gatewaytest.Flags(l.box.Sandbox, "--upstream-timeout=1s", "--token="+token)
		report, problems, _ := runCommand(l.t.Context(), gateway.Process{Sockets: l.Network}, append([]string{"doctor"}, flags...)...)
		if !strings.Contains(report, "skipped") {
			l.t.Errorf("the doctor's report is %s%s", report, problems)
		}
		l.wantNoSecrets("the doctor's report", report+problems)
		undo()
	}
}

// ask sends a request and searches its response. It returns the data of the response, which is not searched.
func (l *leakSearch) ask(req *http.Request) (data json.RawMessage) {
	l.t.Helper()
	req.Close = true
	resp, err := l.HTTP.Transport.RoundTrip(req) // a redirect is a response too
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	l.seen.answers++
	rest := body
	var answer map[string]json.RawMessage
	if json.Unmarshal(body, &answer) == nil {
		data = answer["data"]
		for _, member := range l.secrets.in(string(data)) {
			l.seen.data[member] = true
		}
		delete(answer, "data")
		if answer["errors"] != nil {
			l.seen.errors++
		}
		if rest, err = json.Marshal(answer); err != nil {
			l.t.Fatal(err)
		}
	}
	l.wantNoSecrets("a response", string(rest)+" "+decoded(rest)+fmt.Sprint(resp.Header))
	return data
}

// decoded removes the escapes of JSON, so that a secret is found in any encoding.
func decoded(text []byte) string {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return ""
	}
	return fmt.Sprint(value)
}

// wantNoSecrets fails the test if the text contains a secret.
func (l *leakSearch) wantNoSecrets(where, text string) {
	l.t.Helper()
	if found := l.secrets.in(text); len(found) > 0 {
		l.t.Errorf("%s has %v: %.400s", where, found, text)
	}
}

// spanText is everything in a span that a collector receives.
func spanText(span tracetest.SpanStub) string {
	var text strings.Builder
	say := func(attributes []attribute.KeyValue) {
		for _, a := range attributes {
			fmt.Fprintf(&text, "%s=%s\n", a.Key, a.Value.String())
		}
	}
	fmt.Fprintln(&text, span.Name, span.Status.Description, span.SpanContext.TraceState(), span.Parent.TraceState())
	say(span.Attributes)
	for _, event := range span.Events {
		fmt.Fprintln(&text, event.Name)
		say(event.Attributes)
	}
	for _, link := range span.Links {
		fmt.Fprintln(&text, link.SpanContext.TraceState())
		say(link.Attributes)
	}
	say(span.Resource.Attributes())
	fmt.Fprintln(&text, span.InstrumentationScope.Name, span.InstrumentationScope.Version)
	scope := span.InstrumentationScope.Attributes
	say(scope.ToSlice())
	return text.String()
}

// newRequest is a request to the gateway, with any token.
func (l *leakSearch) newRequest(method, target, token, body string) *http.Request {
	l.t.Helper()
	req := l.Request(method, target, body)
	req.Header.Set("Authorization", "Bearer "+token)
	if body == "" {
		req.Header.Del("Content-Type")
	}
	return req
}
