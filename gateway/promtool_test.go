package gateway

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

// fastRedis makes Redis answer an instance at once. In a test, its times depend on how busy the machine is.
func (h history) fastRedis(instance string) {
	const all = "0+60x80"
	h.set(instance, "pixgraph_redis_latency_seconds_bucket", `le="0.05"`, all)
	h.set(instance, "pixgraph_redis_latency_seconds_count", "", all)
	for series := range h {
		if strings.HasPrefix(series, "pixgraph_redis_refused_commands_total{") && strings.Contains(series, instance) {
			delete(h, series)
		}
	}
}

// alertsFiring has Prometheus's own promtool evaluate the rules over the history, and returns the names of the alerts
// that fire at its end.
func (h history) alertsFiring(t *testing.T) (names []string) {
	t.Helper()
	type entry map[string]any
	rules, unknown := filepath.Abs(alertsFile)
	var input []entry
	for _, series := range slices.Sorted(maps.Keys(h)) {
		input = append(input, entry{"series": series, "values": h[series]})
	}
	// promtool prints what an expression has if it is not what is expected, so something that cannot be is expected.
	text, invalid := yaml.Marshal(entry{"rule_files": []string{rules}, "evaluation_interval": "1m", "tests": []entry{{
		"interval": "1m", "input_series": input,
		"promql_expr_test": []entry{{
			"expr": `group by (alertname) (ALERTS{alertstate="firing"}) or vector(-1)`, "eval_time": fmt.Sprint(minutes, "m"),
			"exp_samples": []entry{{"labels": "{}", "value": -2}},
		}},
	}}})
	file := filepath.Join(t.TempDir(), "incident.yml")
	if err := errors.Join(unknown, invalid, os.WriteFile(file, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "promtool", "test", "rules", file).CombinedOutput()
	_, got, found := strings.Cut(string(out), "got:")
	if err == nil || !found {
		t.Fatalf("promtool, which make promtool installs: %v: %s", err, out)
	}
	for _, match := range regexp.MustCompile(`alertname="Pixgraph(\w+)"`).FindAllStringSubmatch(got, -1) {
		names = append(names, match[1])
	}
	slices.Sort(names)
	return names
}
