package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The dashboard and the alerts of deploy/ ask for metrics by name: each has to be one that a gateway shows.

const (
	dashboardFile = "deploy/grafana/dashboard.json"
	alertsFile    = "deploy/prometheus/alerts.yml"
)

// dashboard is what of Grafana's format the test reads.
type dashboard struct {
	Panels []struct {
		ID      int
		Type    string
		Title   string
		Targets []struct{ Expr string }
	}
	Annotations struct{ List []struct{ Expr string } }
	Templating  struct {
		List []struct{ Query any }
	}
}

// alerts is Prometheus's format for rules.
type alerts struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert       string
			Expr        string
			For         string
			Labels      map[string]string
			Annotations map[string]string
		}
	}
}

// metricName finds the metrics in an expression, seriesOf a metric with its labels in a scrape.
var (
	metricName = regexp.MustCompile(`\b(?:pixgraph|go|process)_[a-z0-9_]+`)
	selector   = regexp.MustCompile(`\b((?:pixgraph|go|process)_[a-z0-9_]+)\{([^}]*)\}`)
	labelName  = regexp.MustCompile(`([a-z]+)[!=]`)
	seriesName = regexp.MustCompile(`(?m)^([a-z0-9_]+)(\{.*\})? `)
)

// ofPrometheus are the labels that Prometheus gives to what it scrapes.
var ofPrometheus = map[string]bool{"instance": true, "job": true}

// expressions are those of the dashboard and of the alerts, by where they stand.
func expressions(t *testing.T) (shown, alerted map[string]string) {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal([]byte(read(t, dashboardFile)), &d); err != nil {
		t.Fatalf("%s: %v", dashboardFile, err)
	}
	shown, alerted = map[string]string{}, map[string]string{}
	ids := map[int]bool{}
	for _, panel := range d.Panels {
		if ids[panel.ID] {
			t.Errorf("two panels have the id %d", panel.ID)
		}
		ids[panel.ID] = true
		if panel.Type != "row" && len(panel.Targets) == 0 {
			t.Errorf("the panel %q asks for nothing", panel.Title)
		}
		for _, target := range panel.Targets {
			shown["panel "+panel.Title] += target.Expr + "\n"
		}
	}
	for _, annotation := range d.Annotations.List {
		shown["annotations"] += annotation.Expr + "\n"
	}
	for _, variable := range d.Templating.List {
		if query, ok := variable.Query.(map[string]any); ok {
			shown["variables"] += query["query"].(string) + "\n"
		}
	}
	var a alerts
	if err := yaml.UnmarshalWithOptions([]byte(read(t, alertsFile)), &a, yaml.DisallowUnknownField()); err != nil {
		t.Fatalf("%s: %v", alertsFile, err)
	}
	for _, group := range a.Groups {
		for _, rule := range group.Rules {
			if rule.Labels["severity"] != "page" && rule.Labels["severity"] != "ticket" || rule.Annotations["summary"] == "" {
				t.Errorf("the alert %s has no severity or no summary", rule.Alert)
			}
			alerted["alert "+rule.Alert] = rule.Expr
		}
	}
	if len(shown) < 20 || len(alerted) < 10 {
		t.Fatalf("only %d panels and %d alerts found", len(shown), len(alerted))
	}
	return shown, alerted
}

// TestDashboard: what the dashboard and the alerts ask for is there, with the labels that they ask by, and every metric of
// ours is on the dashboard.
func TestDashboard(t *testing.T) {
	box := newSandbox(t)
	r := launch(t, overSandbox(box)...)
	exercise(t, r, box)
	series := map[string]string{} // the labels of each
	for _, match := range seriesName.FindAllStringSubmatch(r.scrape(), -1) {
		series[match[1]] += match[2]
	}
	shown, alerted := expressions(t)
	onDashboard := map[string]bool{}
	check := func(at, expr string) {
		for _, name := range metricName.FindAllString(expr, -1) {
			if _, ok := series[name]; !ok {
				t.Errorf("%s asks for %s, which there is not", at, name)
			}
		}
		for _, match := range selector.FindAllStringSubmatch(expr, -1) {
			for _, label := range labelName.FindAllStringSubmatch(match[2], -1) {
				if !ofPrometheus[label[1]] && !strings.Contains(series[match[1]], label[1]+`="`) {
					t.Errorf("%s asks for %s by %s, which it has not", at, match[1], label[1])
				}
			}
		}
	}
	for at, expr := range shown {
		check(at, expr)
		for _, name := range metricName.FindAllString(expr, -1) {
			onDashboard[family(name)] = true
		}
	}
	for at, expr := range alerted {
		check(at, expr)
	}
	for name := range series {
		if strings.HasPrefix(name, "pixgraph_") && !onDashboard[family(name)] {
			t.Errorf("%s is on no panel", name)
		}
	}
}

// family is the name of the metric that a series of a histogram belongs to.
func family(name string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			return base
		}
	}
	return name
}
