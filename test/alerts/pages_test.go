package alerts

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/prometheus/promql/parser"

	"pixgraph/sandbox"
	"pixgraph/test/replica"
)

// sample is a line of a scrape.
type sample struct {
	name   string
	labels map[string]string
}

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
	synctest.Test(t, func(t *testing.T) {
		box := replica.NewSandbox(t)
		r := box.Start(t)
		r.Token = box.Token()
		const list = "query List { deposits { totalCount } }"
		r.Query(list).WantOK()
		before := scrape(r)
		clientFaults(t, r, box.Sandbox)
		streamFaults(t, r, box.Sandbox)
		after := scrape(r)
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
		if alerts := firing(t, changed(after, scrape(r))); len(alerts) != 2 || alerts["PixgraphErrors"].name == "" || alerts["PixgraphUpstreamFailing"].name == "" {
			t.Errorf("a failure of an API causes %v", alerts)
		}
	})
}
