package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"text/template"
	"time"

	"github.com/prometheus/procfs"
)

// Targets for the gateway, in addition to those of each query.
const (
	earlierTarget = 1.03 // ratio of processor time to that of another binary of the gateway
	idleTarget    = 32 << 20
	peakTarget    = 128 << 20
	startTarget   = 50 * time.Millisecond
)

// report returns the text of bench.md.
func (b *bench) report() (string, error) {
	var spreads []float64
	for at, samples := range b.samples {
		costs := each(samples, sample.cost)
		spreads = append(spreads, 100*(slices.Max(costs)-slices.Min(costs))/max(b.cost(at), 1))
	}
	page, err := template.ParseFS(files, "bench.md.tmpl")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = page.Execute(&text, map[string]any{
		"Command": "bin/load " + strings.Join(b.args, " "), "Date": b.began.UTC().Format("2006-01-02 15:04 UTC"),
		"Took": time.Since(b.began).Round(time.Second), "Machine": b.machine, "Sets": b.sets, "Before": b.before, "Rounds": b.rounds, "Slice": b.slice,
		"Spread": median(spreads), "Costs": b.costs(), "Starts": b.startTable(),
	})
	return text.String(), err
}

// machine returns a description of this machine and of its load.
func machine() (string, error) {
	proc, err := procfs.NewDefaultFS()
	load, noLoad := proc.LoadAvg()
	cpus, noCPUs := os.ReadFile("/proc/cpuinfo") // procfs reads it only in builds for Linux
	if err := errors.Join(err, noCPUs, noLoad); err != nil {
		return "", err
	}
	_, model, _ := strings.Cut(string(cpus), "model name\t: ")
	model, _, _ = strings.Cut(model, "\n")
	return fmt.Sprintf("%d cores (%s), %s, with a load of %.2f at the beginning", runtime.NumCPU(), model, runtime.Version(), load.Load1), nil
}

func each(samples []sample, value func(sample) float64) (values []float64) {
	for _, s := range samples {
		values = append(values, value(s))
	}
	return values
}

// cost returns the processor time of a request, in nanoseconds.
func (s sample) cost() float64 { return float64(s.cpu) / float64(s.requests()) }

// cost returns the median cost in the rounds, or 0 if the cell was not measured.
func (b *bench) cost(at cell) float64 { return median(each(b.samples[at], sample.cost)) }

// costs returns the table of the processor time of each query on each server, with throughput and latency: medians of
// the rounds.
func (b *bench) costs() string {
	var rows [][]string
	for _, q := range b.queries {
		for _, connections := range b.connections {
			for _, name := range b.names() {
				at := cell{q.name, name, connections}
				if b.samples[at] == nil {
					continue
				}
				rate := median(each(b.samples[at], func(s sample) float64 { return float64(s.requests()) / s.elapsed.Seconds() }))
				p50 := median(each(b.samples[at], func(s sample) float64 { return float64(s.latencies.percentile(50)) }))
				p99 := median(each(b.samples[at], func(s sample) float64 { return float64(s.latencies.percentile(99)) }))
				rows = append(rows, []string{
					q.name, fmt.Sprint(connections), name, fmt.Sprintf("%.0f", b.cost(at)/1000), b.ratio(q, name, connections),
					fmt.Sprintf("%.0f", rate), millis(time.Duration(p50)), millis(time.Duration(p99)),
				})
			}
		}
	}
	return table([]string{"query", ">connections", "server", ">µs per request", ">gateway : server", ">requests/s", ">p50", ">p99"}, rows)
}

// ratio returns the ratio of the processor time of the gateway to that of another server, with its target: the median
// of the ratios of the rounds, since other work of the machine slows both servers down in the same round.
func (b *bench) ratio(q query, to string, connections int) string {
	if to == gatewayName {
		return ""
	}
	others := b.samples[cell{q.name, to, connections}]
	var ratios []float64
	for round, own := range b.samples[cell{q.name, gatewayName, connections}] {
		ratios = append(ratios, own.cost()/others[round].cost())
	}
	ratio := median(ratios)
	target := map[string]float64{earlier: earlierTarget, proxyName: q.proxy, floorName: q.floor}[to]
	if to == floorName && connections == 1 {
		target = 0 // the target is for several connections
	}
	return withTarget(ratio, target, func(n float64) string { return fmt.Sprintf("%.3g", n) })
}

// withTarget returns a figure with its target, if it has one.
func withTarget[N int64 | float64 | time.Duration](found, target N, text func(N) string) string {
	mark := ""
	if found > target {
		mark = ", **missed**"
	}
	if target == 0 {
		return text(found)
	}
	return text(found) + " (≤ " + text(target) + mark + ")"
}

// startTable returns the table of the start and the memory of each server. The targets are for the gateway.
func (b *bench) startTable() string {
	var rows [][]string
	for _, s := range b.servers {
		target := map[string]server{gatewayName: {start: startTarget, idle: idleTarget, peak: peakTarget}}[s.Name]
		rows = append(rows, []string{
			s.Name, withTarget(s.start, target.start, millis), withTarget(s.idle, target.idle, mebibytes), withTarget(s.peak, target.peak, mebibytes),
		})
	}
	return table([]string{"server", ">first response after", ">memory after it", ">peak memory in the whole run"}, rows)
}

// table returns a table in Markdown, aligned so that it is readable as text. The names of columns of numbers begin with
// ">".
func table(names []string, rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', tabwriter.AlignRight|tabwriter.Debug)
	rules := make([]string, len(names))
	for i, name := range names {
		if rules[i] = "---"; strings.HasPrefix(name, ">") {
			names[i], rules[i] = name[1:], "---:"
		}
	}
	for _, row := range append([][]string{names, rules}, rows...) {
		fmt.Fprintf(w, "\t%s \t\n", strings.Join(row, " \t"))
	}
	_ = w.Flush()
	return strings.TrimPrefix(strings.ReplaceAll(b.String(), "\n |", "\n|"), " ")
}

func millis(d time.Duration) string { return fmt.Sprintf("%.2f ms", 1000*d.Seconds()) }

func mebibytes(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }

// counted returns the number of each outcome as text.
func counted(outcomes map[string]int) string {
	var parts []string
	for _, outcome := range slices.Sorted(maps.Keys(outcomes)) {
		parts = append(parts, fmt.Sprintf("%s %d", outcome, outcomes[outcome]))
	}
	return strings.Join(parts, ", ")
}
