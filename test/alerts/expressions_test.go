package alerts

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
)

var (
	sampleLine = regexp.MustCompile(`(?m)^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$`)
	labelPair  = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

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

// family is the name of a metric without the suffix of a histogram's series.
func family(name string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			return base
		}
	}
	return name
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
