package gateway

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"

	"pixgraph/internal/redistest"
	"pixgraph/test/gatewaytest"
)

// The dashboard and the alerts in deploy/ query metrics by name in PromQL. The gateway must export each of these
// metrics.

const dashboardFile = "../deploy/grafana/dashboard.json"

// dashboard is the part of Grafana's format that the test reads.
type dashboard struct {
	Panels []struct {
		ID      int
		Type    string
		Title   string
		Targets []struct{ Expr string }
	}
	Annotations struct{ List []struct{ Expr string } }
	Templating  struct {
		List []struct {
			Name  string
			Query any
		}
	}
}

// expression is a PromQL expression and its location.
type expression struct{ at, text string }

// Grafana's variables for durations, and the query of a dashboard variable.
var (
	times       = strings.NewReplacer("$__rate_interval", "5m", "$__interval", "1m", "$__range", "1h")
	variable    = regexp.MustCompile(`\$(\w+)`)
	labelValues = regexp.MustCompile(`^label_values\((.+), (\w+)\)$`)
)

// onDashboard returns the expressions of the dashboard, and checks that their variables exist.
func onDashboard(t *testing.T) []expression {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal([]byte(read(t, dashboardFile)), &d); err != nil {
		t.Fatalf("%s: %v", dashboardFile, err)
	}
	var list []expression
	ids, variables := map[int]bool{}, map[string]bool{}
	for _, v := range d.Templating.List {
		variables[v.Name] = true
		if query, ok := v.Query.(map[string]any); ok { // label values are queried as groups
			list = append(list, expression{"variable " + v.Name, labelValues.ReplaceAllString(query["query"].(string), "count by ($2) ($1)")})
		}
	}
	for _, panel := range d.Panels {
		if ids[panel.ID] {
			t.Errorf("two panels have the id %d", panel.ID)
		}
		ids[panel.ID] = true
		if panel.Type != "row" && len(panel.Targets) == 0 {
			t.Errorf("the panel %q has no query", panel.Title)
		}
		for _, target := range panel.Targets {
			list = append(list, expression{"panel " + panel.Title, times.Replace(target.Expr)})
		}
	}
	for _, annotation := range d.Annotations.List {
		list = append(list, expression{"annotation", times.Replace(annotation.Expr)})
	}
	for _, e := range list {
		for _, match := range variable.FindAllStringSubmatch(e.text, -1) {
			if !variables[match[1]] {
				t.Errorf("%s uses $%s, which is not a variable of the dashboard", e.at, match[1])
			}
		}
	}
	return list
}

// series are the labels of each metric of a scrape.
type series map[string]map[string]bool

// ofPrometheus has the labels that Prometheus adds to scraped metrics, and upMetric is its own metric about a scrape.
var ofPrometheus = map[string]bool{"instance": true, "job": true}

const upMetric = "up"

func (s series) has(metric, label string) bool { return ofPrometheus[label] || s[metric][label] }

func seriesOf(scrape string) series {
	s := series{}
	for _, match := range sampleLine.FindAllStringSubmatch(scrape, -1) {
		if s[match[1]] == nil {
			s[match[1]] = map[string]bool{}
		}
		for _, label := range labelPair.FindAllStringSubmatch(match[2], -1) {
			s[match[1]][label[1]] = true
		}
	}
	return s
}

// selectors returns the selectors of series in an expression.
func selectors(under parser.Node) (list []*parser.VectorSelector) {
	parser.Inspect(under, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			list = append(list, selector)
		}
		return nil
	})
	return list
}

// check parses an expression as Prometheus does. It returns the metrics in the expression and its errors: a metric that
// does not exist, a selector with a label that its metric lacks, or grouping by a label that no metric has.
func (s series) check(text string) (metrics, wrong []string) {
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, selector := range selectors(parsed) {
		metrics = append(metrics, selector.Name)
		if s[selector.Name] == nil && selector.Name != upMetric {
			wrong = append(wrong, "there is no metric "+selector.Name)
			continue
		}
		for _, matcher := range selector.LabelMatchers {
			if matcher.Name != "__name__" && !s.has(selector.Name, matcher.Name) {
				wrong = append(wrong, selector.Name+" has no label "+matcher.Name)
			}
		}
	}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		aggregate, ok := node.(*parser.AggregateExpr)
		if !ok {
			return nil
		}
		for _, label := range aggregate.Grouping {
			if !slices.ContainsFunc(selectors(aggregate.Expr), func(below *parser.VectorSelector) bool { return s.has(below.Name, label) }) {
				wrong = append(wrong, "nothing to group by "+label)
			}
		}
		return nil
	})
	return metrics, wrong
}

// TestDashboard: the expressions of dashboard and alerts are valid PromQL, their metrics and labels exist, and every
// metric of the gateway is on the dashboard.
func TestDashboard(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	r := launch(t, gatewaytest.Flags(box, "--redis-url=redis://"+redistest.Start(t).Address())...)
	exercise(t, r, box)
	all := seriesOf(r.scrape() + launchSecured(t).scrape())
	shown := onDashboard(t)
	var alerts []expression
	for _, rule := range alertRules(t) {
		alerts = append(alerts, expression{"alert " + rule.Alert, rule.Expr})
	}
	if len(shown) < 50 || len(alerts) < 10 {
		t.Fatalf("only %d expressions on the dashboard and %d alerts found", len(shown), len(alerts))
	}
	drawn := map[string]bool{}
	for _, e := range slices.Concat(shown, alerts) {
		metrics, wrong := all.check(e.text)
		for _, text := range wrong {
			t.Errorf("%s: %s: %s", e.at, text, e.text)
		}
		for _, name := range metrics {
			drawn[family(name)] = drawn[family(name)] || !strings.HasPrefix(e.at, "alert ")
		}
	}
	for name := range all {
		if strings.HasPrefix(name, "pixgraph_") && !drawn[family(name)] {
			t.Errorf("no panel shows %s", name)
		}
	}
}

// TestExpressions: check finds every kind of error.
func TestExpressions(t *testing.T) {
	s := seriesOf("a_total{code=\"x\",service=\"y\"} 1\nb 2\nc_bucket{le=\"1\"} 3\n")
	tests := []struct{ name, text, wrong string }{
		{"valid", `sum by (service, job) (rate(a_total{code!="x",instance=~".*"}[5m])) / on (job) group_right b > 1`, ""},
		{"a histogram", `histogram_quantile(0.99, sum by (le) (rate(c_bucket[5m])))`, ""},
		{"an unclosed parenthesis", `sum(rate(a_total[5m])`, "unclosed left parenthesis"},
		{"no range", `rate(a_total)`, "expected type range vector"},
		{"an unknown function", `rat(a_total[5m])`, "unknown function"},
		{"an invalid pattern", `a_total{code=~"("}`, "error parsing regexp"},
		{"a variable of Grafana", `rate(a_total[$__interval])`, "unexpected character"},
		{"an unknown metric", `sum(a)`, "there is no metric a"},
		{"an unknown metric and a known one", `b / rate(a[5m])`, "there is no metric a"},
		{"an unknown label", `a_total{status="200"}`, "a_total has no label status"},
		{"grouping by an unknown label", `sum by (le) (rate(a_total[5m]))`, "nothing to group by le"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, wrong := s.check(tt.text)
			if tt.wrong == "" && len(wrong) > 0 || tt.wrong != "" && (len(wrong) != 1 || !strings.Contains(wrong[0], tt.wrong)) {
				t.Errorf("got %q, want %q", wrong, tt.wrong)
			}
		})
	}
}

// family is the name of a metric without the suffix of a histogram's series.
func family(name string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			return base
		}
	}
	return name
}
