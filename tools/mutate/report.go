package main

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"text/tabwriter"
)

// report prints the figures of packages, and of the tests that reach a mutant.
func report(out io.Writer, tests []*test, verdicts []*verdict) error {
	type figures struct{ mutants, reached, killed, own int }
	packages, alone := map[string]*figures{}, map[*test]int{}
	reach := map[*test]bool{} // a mutant
	for _, v := range verdicts {
		f := packages[v.Package]
		if f == nil {
			f = &figures{}
			packages[v.Package] = f
		}
		f.mutants++
		if len(v.reached) > 0 {
			f.reached++
		}
		if len(v.killed) > 0 {
			f.killed++
		}
		if slices.ContainsFunc(v.killed, func(t *test) bool { return t.pkg == v.Package }) {
			f.own++
		}
		for _, t := range v.reached {
			reach[t] = true
		}
		if len(v.killed) == 1 && len(v.killed)+len(v.live) == len(v.reached) {
			alone[v.killed[0]]++
		}
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nmutants\treached\tkilled\tby own tests\tonly by others\t package\t")
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		f := packages[name]
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t %s\t\n", f.mutants, f.reached, f.killed, f.own, f.killed-f.own, name)
	}
	fmt.Fprintln(table, "\nkills alone\tCPU s\tlines\t test\t")
	for _, t := range tests {
		if reach[t] {
			fmt.Fprintf(table, "%d\t%.1f\t%d\t %s:%d %s\t\n", alone[t], t.cpu, t.lines, path.Join(t.pkg, t.file), t.line, t.name)
		}
	}
	return table.Flush()
}
