package alerts

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/test/replica"
)

// The dashboard and the alerts in deploy/ query metrics by name in PromQL. The gateway must export each of these
// metrics.

const dashboardFile = "../../deploy/grafana/dashboard.json"

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

// TestDashboard: the expressions of dashboard and alerts are valid PromQL, their metrics and labels exist, and every
// metric of the gateway is on the dashboard.
func TestDashboard(t *testing.T) {
	var all series
	synctest.Test(t, func(t *testing.T) {
		box := replica.NewSandbox(t)
		cert, key := certstest.New(t, "ca").Issue(t, time.Hour).Write(t, t.TempDir())
		r := box.Start(t, "--redis-url=redis://"+closed(t, box.Network), "--tls-cert="+cert, "--tls-key="+key)
		r.HTTP = r.Network.Client(t)
		r.HTTP.Transport.(*http.Transport).TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
		r.Exercise(box)
		all = seriesOf(scrape(r))
	})
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
