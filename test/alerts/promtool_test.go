package alerts

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// history is the input of promtool: for each series with its labels, the values of eighty minutes.
type history map[string]string

// minutes is how long an incident has lasted when its alerts are looked at: the longest "for" is an hour.
const minutes = 75

// typeLine is a line of a scrape that says how a metric is to be read.
var typeLine = regexp.MustCompile(`(?m)^# TYPE (\w+) (\w+)$`)

// repeat adds the series of an instance that does every minute what it did between two scrapes, as far as
// alerts use them.
func (h history) repeat(t *testing.T, instance, before, after string) {
	rules, kinds := read(t, alertsFile), map[string]string{}
	for _, match := range typeLine.FindAllStringSubmatch(after, -1) {
		kinds[match[1]] = match[2]
	}
	former := map[string]float64{}
	for _, match := range sampleLine.FindAllStringSubmatch(before, -1) {
		former[match[1]+match[2]], _ = strconv.ParseFloat(match[3], 64)
	}
	for _, match := range sampleLine.FindAllStringSubmatch(after, -1) {
		value, err := strconv.ParseFloat(match[3], 64)
		if err != nil || !strings.Contains(rules, match[1]) {
			continue
		}
		step := 0.0
		if kind := kinds[family(match[1])]; kind == "counter" || kind == "histogram" {
			step = value - former[match[1]+match[2]]
		}
		h.set(instance, match[1], match[2], fmt.Sprintf("%f+%fx%d", value, step, minutes+5))
	}
	h.set(instance, "pixgraph_time_seconds", "", fmt.Sprintf("0+60x%d", minutes+5)) // as promtool's clock
	h.set(instance, upMetric, "", fmt.Sprintf("1x%d", minutes+5))
}

// set replaces the values of a series of an instance.
func (h history) set(instance, metric, labels, values string) {
	if labels != "" {
		labels = "," + labels
	}
	h[fmt.Sprintf(`%s{job="pixgraph",instance=%q%s}`, metric, instance, labels)] = values
}

// wantFiring has Prometheus's own promtool evaluate the rules over the histories of incidents, and compares the names
// of the alerts that fire at their ends.
func wantFiring(t *testing.T, histories map[string]history, want map[string]string) {
	t.Helper()
	type entry map[string]any
	rules, unknown := filepath.Abs(alertsFile)
	var tests []entry
	for name, h := range histories {
		var input []entry
		for _, series := range slices.Sorted(maps.Keys(h)) {
			input = append(input, entry{"series": series, "values": h[series]})
		}
		// promtool prints what an expression has if it is not what is expected, so something that cannot be is
		// expected.
		expr := `group by (alertname) (ALERTS{alertstate="firing"}) or label_replace(vector(1), "incident", "` + name + `", "", "")`
		tests = append(tests, entry{"interval": "1m", "input_series": input, "promql_expr_test": []entry{{
			"expr": expr, "eval_time": fmt.Sprint(minutes, "m"), "exp_samples": []entry{{"labels": "{}", "value": -2}},
		}}})
	}
	text, invalid := yaml.Marshal(entry{"rule_files": []string{rules}, "evaluation_interval": "1m", "tests": tests})
	file := filepath.Join(t.TempDir(), "incidents.yml")
	if err := errors.Join(unknown, invalid, os.WriteFile(file, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "promtool", "test", "rules", file).CombinedOutput()
	results := strings.Split(string(out), "got:")[1:]
	if err == nil || len(results) != len(histories) {
		t.Fatalf("promtool, which make programs installs: %v: %s", err, out)
	}
	for _, result := range results {
		result, _, _ = strings.Cut(result, "expr:") // of the next one
		var got []string
		for _, match := range regexp.MustCompile(`alertname="Pixgraph(\w+)"`).FindAllStringSubmatch(result, -1) {
			got = append(got, match[1])
		}
		slices.Sort(got)
		name := regexp.MustCompile(`incident="([^"]+)"`).FindStringSubmatch(result)[1]
		if firing := strings.Join(got, " "); firing != want[name] {
			t.Errorf("%s: %q fire, want %q", name, firing, want[name])
		}
	}
}
