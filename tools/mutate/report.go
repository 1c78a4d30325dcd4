package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// report prints the figures of packages and tests. The tests in question are those that the regexp matches; all are if
// it matches none.
func (r *records) report(out io.Writer, candidates *regexp.Regexp) {
	inQuestion := map[string]bool{}
	for name, line := range r.tests {
		inQuestion[name] = candidates.MatchString(path.Join(line.Test.Package, line.Test.File))
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	r.packages(table)
	alone, kills := map[string]int{}, map[string]int{}
	var left []*Verdict // mutants that only tests in question kill
	for _, v := range r.verdicts {
		for _, name := range v.Killed {
			kills[name]++
		}
		if len(v.Killed) == 1 && !v.Partial {
			alone[v.Killed[0]]++
		}
		if len(v.Killed) > 0 && !slices.ContainsFunc(v.Killed, func(name string) bool { return !inQuestion[name] }) {
			left = append(left, v)
		}
	}
	needed := cover(left)
	fmt.Fprintln(table, "\nkills\tkills alone\tneeded for\tCPU s\tlines\t test\t")
	names := slices.SortedFunc(maps.Keys(r.tests), func(a, b string) int {
		x, y := r.tests[a].Test, r.tests[b].Test
		return cmp.Or(strings.Compare(x.Package, y.Package), strings.Compare(x.File, y.File), x.Line-y.Line)
	})
	some := slices.ContainsFunc(names, func(name string) bool { return inQuestion[name] })
	for _, name := range names {
		if t := r.tests[name].Test; inQuestion[name] || !some {
			fmt.Fprintf(table, "%d\t%d\t%d\t%.1f\t%d\t %s:%d %s\t\n", kills[name], alone[name], needed[name], t.CPU, t.Lines,
				path.Join(t.Package, t.File), t.Line, t.Name)
		}
	}
	table.Flush()
	for _, v := range slices.SortedFunc(slices.Values(left), func(a, b *Verdict) int { return strings.Compare(a.String(), b.String()) }) {
		fmt.Fprintf(out, "only by tests in question: %v: %s\n", v.Mutant, strings.Join(v.Killed, ", "))
	}
}

// packages prints the mutants of each package. Undecided are those that only slow tests may kill, which were not run.
func (r *records) packages(table io.Writer) {
	type figures struct{ mutants, reached, killed, own, open int }
	packages := map[string]*figures{}
	for _, v := range r.verdicts {
		f := packages[v.Package]
		if f == nil {
			f = &figures{}
			packages[v.Package] = f
		}
		f.mutants++
		if v.Reached > 0 {
			f.reached++
		}
		if len(v.Killed) > 0 {
			f.killed++
		}
		if len(v.Killed) == 0 && v.Partial {
			f.open++
		}
		if slices.ContainsFunc(v.Killed, func(name string) bool { return r.tests[name].Test.Package == v.Package }) {
			f.own++
		}
	}
	fmt.Fprintln(table, "mutants\treached\tkilled\tby own tests\tonly by others\tundecided\t package\t")
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		f := packages[name]
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t%d\t %s\t\n", f.mutants, f.reached, f.killed, f.own, f.killed-f.own, f.open, name)
	}
}

// cover chooses few tests that kill all mutants, and returns how many each adds: always the one that adds most.
func cover(left []*Verdict) map[string]int {
	chosen := map[string]int{}
	for left = slices.Clone(left); len(left) > 0; {
		adds, best := map[string]int{}, ""
		for _, v := range left {
			for _, name := range v.Killed {
				adds[name]++
				if best == "" || adds[name] > adds[best] || adds[name] == adds[best] && name < best {
					best = name
				}
			}
		}
		chosen[best] = adds[best]
		left = slices.DeleteFunc(left, func(v *Verdict) bool { return slices.Contains(v.Killed, best) })
	}
	return chosen
}
