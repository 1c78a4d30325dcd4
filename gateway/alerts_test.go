package gateway

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/prometheus/promql/parser"

	"pixgraph/graph/transport/run"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream"
	"pixgraph/upstream/sandbox"
)

const alertsFile = "../deploy/prometheus/alerts.yml"

// alertRule is an alert in Prometheus's format for rules.
type alertRule struct {
	Alert       string
	Expr        string
	For         string
	Labels      map[string]string
	Annotations map[string]string
}

// pages reports whether the alert needs an immediate response.
func (r alertRule) pages() bool { return r.Labels["severity"] == "page" }

// alertRules returns the alerts, and checks that each has a severity and a summary.
func alertRules(t *testing.T) (rules []alertRule) {
	t.Helper()
	var a struct {
		Groups []struct {
			Name  string
			Rules []alertRule
		}
	}
	if err := yaml.UnmarshalWithOptions([]byte(read(t, alertsFile)), &a, yaml.DisallowUnknownField()); err != nil {
		t.Fatalf("%s: %v", alertsFile, err)
	}
	for _, group := range a.Groups {
		rules = append(rules, group.Rules...)
	}
	for _, rule := range rules {
		if !rule.pages() && rule.Labels["severity"] != "ticket" || rule.Annotations["summary"] == "" {
			t.Errorf("the alert %s has no severity or no summary", rule.Alert)
		}
	}
	return rules
}

// TestRunbook: each alert has a section in the runbook, which its URL leads to, and each section an alert.
func TestRunbook(t *testing.T) {
	sections := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^### (Pixgraph\w+)$`).FindAllStringSubmatch(read(t, "../docs/operations.md"), -1) {
		sections[match[1]] = true
	}
	for _, rule := range alertRules(t) {
		if rule.Annotations["runbook_url"] != "docs/operations.md#"+strings.ToLower(rule.Alert) || !sections[rule.Alert] {
			t.Errorf("%s has no section or another URL: %s", rule.Alert, rule.Annotations["runbook_url"])
		}
		delete(sections, rule.Alert)
	}
	for section := range sections {
		t.Errorf("there is no alert %s", section)
	}
}

// TestFaultsOfAPIs: the alert about failing calls counts those of the kinds that are faults of an API, as the callers
// of its other condition are counted.
func TestFaultsOfAPIs(t *testing.T) {
	var faults []string
	for kind := range upstream.NumKinds {
		if r := kind.Reaction(); r.Fault {
			faults = append(faults, strings.ReplaceAll(r.Name, " ", "_"))
		}
	}
	for _, rule := range alertRules(t) {
		want := `outcome=~"` + strings.Join(faults, "|") + `"`
		if rule.Alert == "PixgraphUpstreamFailing" && !strings.Contains(rule.Expr, want) {
			t.Errorf("the expression lacks %s: %s", want, rule.Expr)
		}
	}
}

// sample is a line of a scrape.
type sample struct {
	name   string
	labels map[string]string
}

var (
	sampleLine = regexp.MustCompile(`(?m)^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$`)
	labelPair  = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

// changed returns the samples of the gateway in the second scrape that have another value in the first one, where 0 is
// the value of those that it lacks. It leaves out the time, which always changes.
func changed(before, after string) (samples []sample) {
	values := map[string]string{}
	for _, match := range sampleLine.FindAllStringSubmatch(before, -1) {
		values[match[1]+match[2]] = match[3]
	}
	for _, match := range sampleLine.FindAllStringSubmatch(after, -1) {
		if !strings.HasPrefix(match[1], "pixgraph_") || match[1] == "pixgraph_time_seconds" || cmp.Or(values[match[1]+match[2]], "0") == match[3] {
			continue
		}
		s := sample{match[1], map[string]string{}}
		for _, pair := range labelPair.FindAllStringSubmatch(match[2], -1) {
			s.labels[pair[1]] = pair[2]
		}
		samples = append(samples, s)
	}
	return samples
}

// selectedBy reports whether a selector of an expression selects the sample. Labels that Prometheus adds match.
func (s sample) selectedBy(selector *parser.VectorSelector) bool {
	if selector.Name != s.name {
		return false
	}
	for _, matcher := range selector.LabelMatchers {
		if matcher.Name != "__name__" && !ofPrometheus[matcher.Name] && !matcher.Matches(s.labels[matcher.Name]) {
			return false
		}
	}
	return true
}

// causes returns the selectors whose samples must change for an alert to fire: of a ratio those of the dividend, of
// "and" and of a difference those of the left side. A quantile does not grow with the number of requests, so it has
// none.
func causes(t *testing.T, node parser.Node) []*parser.VectorSelector {
	t.Helper()
	switch node := node.(type) {
	case *parser.BinaryExpr:
		if node.Op == parser.LOR {
			return append(causes(t, node.LHS), causes(t, node.RHS)...)
		}
		return causes(t, node.LHS)
	case *parser.ParenExpr:
		return causes(t, node.Expr)
	case *parser.Call:
		if node.Func.Name == "histogram_quantile" {
			return nil
		}
	}
	return selectors(node)
}

// firing returns the alerts that page and whose causes changed.
func firing(t *testing.T, samples []sample) map[string]sample {
	t.Helper()
	alerts := map[string]sample{}
	for _, rule := range alertRules(t) {
		parsed, err := parser.NewParser(parser.Options{}).ParseExpr(rule.Expr)
		if err != nil {
			t.Fatal(err)
		}
		for _, selector := range causes(t, parsed) {
			for _, s := range samples {
				if rule.pages() && s.selectedBy(selector) {
					alerts[rule.Alert] = s
				}
			}
		}
	}
	return alerts
}

// TestClientsCannotPage: requests and streams that are invalid, not allowed, too large or too many, impatient or
// cancelled change nothing that an alert with the severity page depends on. Failures of an API and bugs in streams do.
func TestClientsCannotPage(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	r := launch(t, gatewaytest.Flags(box, "--live-streams-per-caller=2")...)
	r.Token = box.Token()
	const list = "query List { deposits { totalCount } }"
	r.Query(list).WantOK()
	before := r.scrape()
	clientFaults(t, r, box)
	streamFaults(t, r, box)
	after := r.scrape()
	samples := changed(before, after)
	for _, want := range []string{
		"pixgraph_operations_total map[operation:List outcome:client_error]", "pixgraph_http_requests_total map[path:/graphql status:401]",
		"pixgraph_upstream_calls_total map[outcome:canceled route:/withdrawal service:core status:none]",
		"pixgraph_limits_hit_total map[limit:liveStreams]", "pixgraph_live_ends_total map[reason:client]", "pixgraph_live_ends_total map[reason:final]",
	} {
		if !slices.ContainsFunc(samples, func(s sample) bool { return fmt.Sprint(s.name, " ", s.labels) == want }) {
			t.Errorf("the requests did not change %s", want)
		}
	}
	if alerts := firing(t, samples); len(alerts) > 0 {
		t.Errorf("requests of clients cause %v", alerts)
	}
	for reason, pages := range map[string]int{"fault": 1, "slow": 0, "expired": 0, "drain": 0} {
		if alerts := firing(t, []sample{{"pixgraph_live_ends_total", map[string]string{"reason": reason}}}); len(alerts) != pages {
			t.Errorf("streams that end with %s cause %v", reason, alerts)
		}
	}

	box.Inject(sandbox.Fault{Status: http.StatusInternalServerError})
	r.Query(list)
	if alerts := firing(t, changed(after, r.scrape())); len(alerts) != 2 || alerts["PixgraphErrors"].name == "" || alerts["PixgraphUpstreamFailing"].name == "" {
		t.Errorf("a failure of an API causes %v", alerts)
	}
}

// clientFaults sends a request of each kind that fails because of its client.
func clientFaults(t *testing.T, r *running, box *sandbox.Sandbox) {
	t.Helper()
	const unknown = "11111111-1111-4111-8111-111111111111"
	for _, token := range []string{"", "x", r.Token + "x", box.Token("none")} {
		r.QueryAs(token, "{ notification(id: \"none\") { id } }")
	}
	for _, document := range []string{
		"{", "{ nothing }", "query List { nothing }", fmt.Sprintf("query List { transaction(id: %q) { id } }", unknown),
		"query List { deposits(perPage: 0) { totalCount } }", "query Wide { " + strings.Repeat("a: deposits { totalCount } ", 60) + "}",
		"query Costly { " + strings.Repeat("a: transactions(ids: []) { notifications { nodes { id } } } ", 3) + "}",
	} {
		r.Query(document)
	}
	for _, body := range []string{"", "[]", "{", `{"query":5}`, strings.Repeat(" ", run.DefaultMaxBody+1)} {
		r.Post(nil, []byte(body))
	}
	defer box.Inject(sandbox.Fault{Kind: sandbox.FaultHang})()
	r.QueryWith(http.Header{"X-Pixgraph-Timeout": {"20"}}, "query List { deposits { totalCount } }")
	ctx, leave := context.WithCancel(t.Context())
	req := r.request(http.MethodPost, "/graphql", `{"query":"{ withdrawals { totalCount } }"}`).WithContext(ctx)
	req.Header.Set("Authorization", "Bearer "+r.Token)
	box.ResetCalls()
	left := make(chan struct{})
	go func() {
		defer close(left)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	waitFor(t, func() bool { return len(box.Calls()) > 0 }) // the call is under way
	leave()
	<-left
	r.scrape() // waits until the gateway has noticed
}
