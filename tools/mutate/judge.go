package main

import (
	"cmp"
	"slices"
	"strconv"
)

// Verdict is what the tests say about a mutant.
type Verdict struct {
	*Mutant
	Reached            int      // tests
	Killed, Hung, Live []string // tests that fail, those of them that hang, and tests that pass
	// Partial is whether some tests were not run, because those that were are enough.
	Partial bool `json:",omitempty"`
	CPU     float64
}

// enough is the number of tests that hang because of a mutant after which the others are not run: each takes long.
const enough = 3

// slow is the processor time of a test in seconds from which it runs only if it can change the answer.
const slow = 2

// judge runs the tests that reach a mutant.
type judge struct {
	binaries map[string]*binary // by package
	verdict  *Verdict
	environ  string
}

// run fills in the verdict with all tests that reach the mutant. With tests in question, only these are all run: others
// run first, until one fails, or last if they are slow and tests in question have failed.
func (j *judge) run(n int, tests []*Test, inQuestion func(*Test) bool) {
	j.environ = "MUTATE=" + strconv.Itoa(n)
	j.verdict.Reached = len(tests)
	var first, all, last []*Test
	for _, t := range tests {
		switch {
		case inQuestion == nil || inQuestion(t):
			all = append(all, t)
		case t.CPU < slow:
			first = append(first, t)
		default:
			last = append(last, t)
		}
	}
	j.untilOneFails(first)
	if len(j.verdict.Killed) == 0 {
		for _, group := range j.order(all) {
			j.tests(group, false)
		}
		if failed := j.verdict.Killed; len(failed) > 0 {
			j.verdict.Killed = nil
			j.untilOneFails(last)
			j.verdict.Killed = append(j.verdict.Killed, failed...)
		}
	}
	j.verdict.Partial = len(j.verdict.Killed)+len(j.verdict.Live) < len(tests)
}

// untilOneFails runs tests until one fails: of each package the fastest first, then those that take eight times as
// long, and so on.
func (j *judge) untilOneFails(tests []*Test) {
	for _, group := range j.order(tests) {
		slices.SortStableFunc(group, func(a, b *Test) int { return cmp.Compare(a.Wall, b.Wall) })
		for size := 1.0; len(group) > 0 && len(j.verdict.Killed) == 0; size *= 8 {
			seconds, n := 0.0, 0
			for n < len(group) && (n == 0 || seconds+group[n].Wall <= size) {
				seconds += group[n].Wall
				n++
			}
			j.tests(group[:n], true)
			group = group[n:]
		}
	}
}

// order returns the tests by package: first the mutant's own, then the fastest.
func (j *judge) order(tests []*Test) [][]*Test {
	packages, seconds := map[string][]*Test{}, map[string]float64{}
	for _, t := range tests {
		packages[t.Package] = append(packages[t.Package], t)
		seconds[t.Package] += t.Wall
	}
	seconds[j.verdict.Package] = 0
	var groups [][]*Test
	for _, group := range packages {
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b []*Test) int { return cmp.Compare(seconds[a[0].Package], seconds[b[0].Package]) })
	return groups
}

// tests runs tests of one package in as many processes as are needed, because a process ends with a panic.
func (j *judge) tests(tests []*Test, first bool) {
	v := j.verdict
	for len(tests) > 0 && (first && len(v.Killed) == 0 || !first && len(v.Hung) < enough) {
		o := j.binaries[tests[0].Package].run(tests, j.environ, first)
		v.CPU += o.cpu
		if o.unexplained && len(tests) > 1 { // find the tests because of which it failed
			j.tests(tests[:len(tests)/2], first)
			j.tests(tests[len(tests)/2:], first)
			return
		}
		if o.unexplained {
			o.failed, o.passed = tests, nil
		}
		for _, t := range o.failed {
			v.Killed = append(v.Killed, t.String())
		}
		if o.hung && len(o.failed) > 0 {
			v.Hung = append(v.Hung, o.failed[len(o.failed)-1].String())
		}
		for _, t := range o.passed {
			v.Live = append(v.Live, t.String())
		}
		if len(o.passed)+len(o.failed) == 0 {
			return
		}
		tests = slices.DeleteFunc(slices.Clone(tests), func(t *Test) bool {
			return slices.Contains(o.passed, t) || slices.Contains(o.failed, t)
		})
	}
}
