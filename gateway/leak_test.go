package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox"
)

// TestLeaks searches for data that only its caller may read: the personal data of every record of the sandbox, and the
// tokens. Real gateways process requests and streams that succeed, fail and are refused, with that data in them. The
// test then searches their logs, metrics and traces, the doctor's report, and everything in their responses except the
// data.

// leakSearch is a run of the test: what it searches for, and which members it has seen in data.
type leakSearch struct {
	t       *testing.T
	box     *sandbox.Sandbox
	secrets *finder
	tokens  []string
	flags   []string // for each gateway

	answers, errors, spans int             // responses, responses with errors, spans
	data                   map[string]bool // members that were in data, where they belong
}

// TestLeaks: no personal data and no tokens are in logs, metrics, traces, the greeting or any part of a response but
// its data. It takes the longest of all tests, because every fault of an API is tested with a new gateway and new
// doctors.
func TestLeaks(t *testing.T) {
	t.Parallel()
	box := gatewaytest.NewSandbox(t)
	all := secretsOf(t, box)
	if len(all) < 1000 {
		t.Fatalf("only %d secrets to search for", len(all))
	}
	tokens := leakTokens(box, gatewaytest.NewSandbox(t))
	for _, token := range tokens {
		all.addToken(token)
	}
	all.add("nudge", leakNudge)
	l := &leakSearch{t: t, box: box, secrets: newFinder(all), tokens: tokens, data: map[string]bool{}}
	l.flags = gatewaytest.Flags(box, "--log-level=debug", "--log-one-in=1")
	token, sample := l.tokens[0], sampleOf(all)

	l.run("operations and refusals", func(r *running) {
		for _, each := range l.tokens {
			l.sendOperations(r, each)
		}
		l.sendRefused(r, token, sample)
	})
	l.run("unusual requests", func(r *running) {
		l.sendUnusual(r, token, sample)
		l.tooLarge(r, token)
	})
	l.run("streams", func(r *running) {
		l.sendOperations(r, token)
		l.sendStreams(r, sample)
		for path, status := range map[string]int{leakNudge: http.StatusNoContent, leakNudge + "x": http.StatusNotFound} {
			if got := r.Send(r.request(http.MethodPost, "/nudge/"+path, "{}"), nil).Status; got != status {
				t.Errorf("a webhook to %s: status %d", path, got)
			}
		}
	}, "--live-interval=20ms", "--live-nudge-secret="+leakNudge)
	few := secrets{}
	for text, member := range sample {
		if member == "name" || member == "document" || member == "email" {
			few[text] = member
		}
	}
	for name, flags := range leakSettings(t) {
		l.run(name, func(r *running) {
			l.sendOperations(r, token)
			l.sendRefused(r, token, few)
			l.sendUnusual(r, token, few)
		}, flags...)
	}
	for name, fault := range leakFaults(box) {
		flags := []string{"--upstream-timeout=30s"}
		if fault.waits() {
			flags = []string{"--upstream-timeout=50ms"}
		}
		l.run(name, func(r *running) { // each with a new gateway, whose circuit breakers are closed
			for _, service := range []string{sandbox.Dispatcher, sandbox.Core} { // in this order the breaker of the core stays closed
				fault.Service = service
				undo := box.Inject(fault.Fault)
				l.sendOperations(r, token)
				l.watch(r, leakProtocols[0], token, leakStream, map[string]any{"id": box.Samples().Transaction})
				l.watch(r, leakProtocols[2], token, leakNoticeStream, map[string]any{"id": box.Ledger().Notifications()[0].ID})
				report, problems, _ := runCommand(l.t, append(append([]string{"doctor"}, gatewaytest.Flags(box, "--token="+token)...), flags...)...)
				l.wantNoSecrets("the doctor's report", report+problems)
				undo()
			}
		}, flags...)
	}
	l.t = t
	for _, member := range []string{"name", "document", "value", "email", "key", "uri", "endToEnd", "externalCode", "street"} {
		if !l.data[member] {
			t.Errorf("no response data has a %s, so the test would not find a leak", member)
		}
	}
	if l.answers < 2000 || l.errors < 1000 || l.spans < 4000 {
		t.Errorf("%d responses, %d of them with errors, %d spans", l.answers, l.errors, l.spans)
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
		"without the fast path":      {"--fast-path=off"},
		"with little shown":          {"--introspection=off", "--console=off", "--trace=off", "--profiling=on"},
		"with pages of another site": {"--cors-origins=https://app.example.com"},
		"with trusted documents":     {"--persisted-manifest=" + manifest, "--persisted-only=on"},
		"with tight limits":          {"--limits-cost=2", "--rate-identity=1", "--rate-identity-burst=2"},
		"with few turns":             {"--upstream-concurrency=1"},
		"with other calls":           {"--upstream-coalescing=off", "--upstream-compression=on"},
	}
}

// run starts a gateway, sends requests to it, and then searches its logs, metrics and traces.
func (l *leakSearch) run(name string, ask func(*running), flags ...string) {
	l.t.Run(name, func(t *testing.T) {
		whole := l.t
		l.t = t
		defer func() { l.t = whole }()
		if !slices.Contains(flags, "--trace=off") {
			flags = append(flags, "--trace=on")
		}
		r, exporter := launchTraced(t, append(flags, l.flags...)...)
		ask(r)
		for _, path := range []string{"/metrics", "/readyz", "/healthz", "/debug/pprof/"} {
			l.wantNoSecrets(path, string(r.admin.Get(path).Body))
		}
		spans := exporter.stopped(r)
		log := r.stderr.String()
		if strings.Count(log, `"msg":"operation"`) < 3 || len(spans) < 10 {
			t.Errorf("%d spans, and this log: %s", len(spans), log)
		}
		for line := range strings.Lines(log) {
			l.wantNoSecrets("the log", line+decoded([]byte(line)))
		}
		for _, span := range spans {
			l.wantNoSecrets("the span "+span.Name, spanText(span))
		}
		l.spans += len(spans)
		l.wantNoSecrets("the first screen", r.stdout.String())
	})
}

// ask sends a request and searches its response. It returns the data of the response, which is not searched.
func (l *leakSearch) ask(req *http.Request) (data json.RawMessage) {
	l.t.Helper()
	req.Close = true
	resp, err := http.DefaultTransport.RoundTrip(req) // a redirect is a response too
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	l.answers++
	rest := body
	var answer map[string]json.RawMessage
	if json.Unmarshal(body, &answer) == nil {
		data = answer["data"]
		for _, member := range l.secrets.in(string(data)) {
			l.data[member] = true
		}
		delete(answer, "data")
		if answer["errors"] != nil {
			l.errors++
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
func (l *leakSearch) newRequest(r *running, method, target, token, body string) *http.Request {
	l.t.Helper()
	req := r.request(method, target, body)
	req.Header.Set("Authorization", "Bearer "+token)
	if body == "" {
		req.Header.Del("Content-Type")
	}
	return req
}
