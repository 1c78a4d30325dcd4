package alerts

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"pixgraph/upstream"
)

const alertsFile = "../../deploy/prometheus/alerts.yml"

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

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRunbook: each alert has a section in the runbook, which its URL leads to, and each section an alert.
func TestRunbook(t *testing.T) {
	sections := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^### (Pixgraph\w+)$`).FindAllStringSubmatch(read(t, "../../docs/operations.md"), -1) {
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
