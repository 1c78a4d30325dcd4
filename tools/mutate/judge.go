package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// verdict is what the tests say about a mutant.
type verdict struct {
	*Mutant
	reached      []*test // without those that fail without a mutant
	killed, live []*test // tests that fail, and tests that pass
}

func (v *verdict) String() string {
	return fmt.Sprintf("%v: %d tests, killed by %d: %v", v.Mutant, len(v.reached), len(v.killed), v.killed)
}

// enough is the number of tests that fail because of a mutant after which the others are not run: none of them kills it
// alone.
const enough = 2

// judge runs the tests that reach the n-th mutant, those of a package together: first those of its own package, then
// the quickest.
func (v *verdict) judge(n int) {
	groups := map[*binary][]*test{}
	seconds := map[*binary]float64{}
	for _, t := range v.reached {
		groups[t.binary] = append(groups[t.binary], t)
		if t.pkg != v.Package {
			seconds[t.binary] += t.seconds
		}
	}
	for _, b := range slices.SortedFunc(maps.Keys(groups), func(a, b *binary) int { return cmp.Compare(seconds[a], seconds[b]) }) {
		v.run(groups[b], "MUTATE="+strconv.Itoa(n))
	}
}

// run runs tests of one package in as many processes as are needed, because a process ends with the first that fails.
func (v *verdict) run(tests []*test, environ string) {
	for len(tests) > 0 && len(v.killed) < enough {
		o := tests[0].binary.run(tests, environ)
		if o.unexplained && len(tests) > 1 { // find the tests because of which it failed
			v.run(tests[:len(tests)/2], environ)
			v.run(tests[len(tests)/2:], environ)
			return
		}
		if o.unexplained {
			o.failed, o.passed = tests, nil
		}
		v.killed, v.live = append(v.killed, o.failed...), append(v.live, o.passed...)
		if len(o.passed)+len(o.failed) == 0 {
			return
		}
		tests = slices.DeleteFunc(slices.Clone(tests), func(t *test) bool {
			return slices.Contains(o.passed, t) || slices.Contains(o.failed, t)
		})
	}
}
