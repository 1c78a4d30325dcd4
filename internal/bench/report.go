package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The targets that are no ratios.
const (
	idleTarget  = 32 << 20 // bytes
	peakTarget  = 128 << 20
	startTarget = 50 * time.Millisecond
	slowTarget  = 2 * time.Millisecond // over the floor
)

// markdown is the report.
func (r *results) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What a request costs\n\nMeasured by `%s` on %s, in %s, on %s.\n\n", r.command,
		r.date.UTC().Format("2006-01-02 15:04 UTC"), r.took.Round(time.Second), r.machine)
	b.WriteString("![Processor time per request](bench.svg)\n\n" + r.setting() + r.costs() + r.others() + r.speeds())
	return b.String()
}

// setting says what was measured.
func (r *results) setting() string {
	var b strings.Builder
	b.WriteString(`All servers are processes of one machine, together with the clients and a stand-in that answers for both APIs from
memory. Every request carries a token, which the gateway verifies. Connections are kept, and ask again as soon as they are
answered.

- **fast path**: the gateway as it is by default; **reference**: with ` + "`--fast-path=off`" + `
`)
	if r.before != "" {
		b.WriteString("- **before**: an older gateway, without a fast path\n")
	}
	b.WriteString(`- **floor**: a Go server that makes the same calls at once, reads what they answer, and writes the gateway's recorded answer
- **proxy**: Go's ` + "`httputil.ReverseProxy`" + `, which passes on the whole page

`)
	b.WriteString("| query | asks for | upstream calls | different variables |\n|---|---|---:|---:|\n")
	for _, q := range r.queries {
		variables := "none"
		if len(q.sets) > 1 {
			variables = fmt.Sprint(len(q.sets))
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", q.name, q.title, q.calls(), variables)
	}
	return b.String()
}

// servers are the names of the servers that were measured, in the order of the report.
func (r *results) servers() []string {
	return slices.DeleteFunc([]string{floorName, fastPath, reference, earlier, proxyName}, func(name string) bool {
		return name == earlier && r.before == ""
	})
}

// target is what the ratio to a server may be at most; 0 when there is no target. That for the reference is about the
// reference as it was before there was a fast path.
func (r *results) target(q query, to string, connections int) float64 {
	baseline := reference
	if r.before != "" {
		baseline = earlier
	}
	switch {
	case to == floorName && connections > 1: // the target is for a gateway that has more than one client
		return q.targets.floor
	case to == baseline:
		return q.targets.reference
	case to == proxyName:
		return q.targets.proxy
	default:
		return 0
	}
}

// costs is the table of processor time, with the ratios that have targets.
func (r *results) costs() string {
	servers := r.servers()
	head := append([]string{"query", "connections"}, servers...)
	for _, name := range servers {
		if name != fastPath {
			head = append(head, fastPath+" : "+name)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Processor time\n\nMicroseconds per request, user and system, of the server's process: the median of %d rounds of %s each.%s\n"+
		"In the ratios, the target is in parentheses.\n\n", r.rounds, r.slice, r.spreads())
	fmt.Fprintf(&b, "| %s |\n|---%s|\n", strings.Join(head, " | "), strings.Repeat("|---:", len(head)-1))
	for _, q := range r.queries {
		for _, connections := range connections() {
			row := []string{q.name, fmt.Sprint(connections)}
			for _, name := range servers {
				row = append(row, micros(r.figures[cell{q.name, name, connections}].cpu))
			}
			for _, name := range servers {
				if name != fastPath {
					row = append(row, r.ratio(q, name, connections))
				}
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	return b.String()
}

// ratio is the cost of the fast path by that of another server, with its target.
func (r *results) ratio(q query, to string, connections int) string {
	fast, other := r.figures[cell{q.name, fastPath, connections}].cpu, r.figures[cell{q.name, to, connections}].cpu
	if other == 0 {
		return ""
	}
	ratio, target := float64(fast)/float64(other), r.target(q, to, connections)
	text := fmt.Sprintf("%.3g", ratio)
	switch {
	case target == 0:
		return text
	case ratio > target:
		return fmt.Sprintf("**%s** (≤ %g, missed)", text, target)
	default:
		return fmt.Sprintf("%s (≤ %g)", text, target)
	}
}

// spreads says how far the rounds are apart, when there are some.
func (r *results) spreads() string {
	if r.rounds < 2 {
		return ""
	}
	var all []float64
	for _, f := range r.figures {
		all = append(all, f.spread)
	}
	return fmt.Sprintf(" Those of one figure differ by %.0f %% (from the least to the most; median of all figures).", 100*median(all))
}

// others is the table of what is measured once.
func (r *results) others() string {
	var b strings.Builder
	b.WriteString("\n## Memory, start, calls, slow APIs\n\n| | measured | target |\n|---|---:|---:|\n")
	for _, name := range r.servers() {
		found, ok := r.memory[name]
		if !ok {
			continue
		}
		var idle, peak int64
		if name == fastPath {
			idle, peak = idleTarget, peakTarget
		}
		fmt.Fprintf(&b, "| %s: memory after the first answer | %s | %s |\n", name, mebibytes(found.idle), atMost(found.idle, idle, mebibytes))
		fmt.Fprintf(&b, "| %s: peak memory, %s over %d connections | %s | %s |\n", name, wide, peakConnections,
			mebibytes(found.peak), atMost(found.peak, peak, mebibytes))
	}
	fmt.Fprintf(&b, "| from the start of the process to the first answer, median of %d | %s | %s |\n",
		r.starts, millis(r.start), atMost(r.start, startTarget, millis))
	for _, q := range r.queries {
		found, want := r.figures[cell{q.name, fastPath, peakConnections}].calls, float64(q.calls())
		mark := fmt.Sprintf("exactly %g", want)
		if found != want {
			mark += ", **missed**"
		}
		fmt.Fprintf(&b, "| fast path: upstream calls per request of %s | %g | %s |\n", q.name, found, mark)
	}
	floor := r.slow[floorName].p50
	fmt.Fprintf(&b, "| %s of APIs that take %s, p50 of the floor | %s | |\n", linked, latency, millis(floor))
	for _, name := range []string{fastPath, reference} {
		over := r.slow[name].p50 - floor
		fmt.Fprintf(&b, "| %s: what it takes longer | %s | %s |\n", name, millis(over), atMost(over, slowTarget, millis))
	}
	return b.String()
}

// atMost is a target, and whether it was missed; nothing when there is none.
func atMost[N int64 | time.Duration](found, target N, show func(N) string) string {
	switch {
	case target == 0:
		return ""
	case found > target:
		return "≤ " + show(target) + ", **missed**"
	default:
		return "≤ " + show(target)
	}
}

// speeds is the table of what clients see.
func (r *results) speeds() string {
	var b strings.Builder
	b.WriteString("\n## Throughput and latency\n\nThe clients and the stand-in share the cores with the server that they measure.\n\n" +
		"| query | connections | server | requests/s | p50 | p99 | upstream calls per request |\n|---|---:|---|---:|---:|---:|---:|\n")
	for _, q := range r.queries {
		for _, connections := range connections() {
			for _, name := range r.servers() {
				f, ok := r.figures[cell{q.name, name, connections}]
				if !ok {
					continue
				}
				fmt.Fprintf(&b, "| %s | %d | %s | %.0f | %s | %s | %.5g |\n", q.name, connections, name, f.rate, millis(f.p50), millis(f.p99), f.calls)
			}
		}
	}
	return b.String()
}

func micros(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", float64(d)/float64(time.Microsecond))
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

func mebibytes(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }
