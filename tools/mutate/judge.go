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

// judge runs the tests that reach a mutant. Those in question are run only if no other test fails.
type judge struct {
	binaries map[string]*binary // by package
	verdict  *Verdict
	environ  string
}

// run fills in the verdict. The tests are those that reach the mutant; inQuestion is nil if all verdicts are wanted.
func (j *judge) run(n int, tests []*Test, inQuestion func(*Test) bool) {
	j.environ = "MUTATE=" + strconv.Itoa(n)
	j.verdict.Reached = len(tests)
	if inQuestion == nil {
		inQuestion = func(*Test) bool { return true }
	}
	var last []*Test
	for _, group := range j.order(tests) {
		if first := slices.DeleteFunc(slices.Clone(group), inQuestion); len(first) > 0 && len(j.verdict.Killed) == 0 {
			j.sorted(first)
		}
		last = append(last, slices.DeleteFunc(slices.Clone(group), func(t *Test) bool { return !inQuestion(t) })...)
	}
	if len(j.verdict.Killed) == 0 || len(last) == len(tests) {
		for _, group := range j.order(last) {
			j.tests(group, false)
		}
	}
	j.verdict.Partial = len(j.verdict.Killed)+len(j.verdict.Live) < len(tests)
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

// sorted runs tests until one fails: the fastest first, then those that take eight times as long, and so on.
func (j *judge) sorted(tests []*Test) {
	slices.SortStableFunc(tests, func(a, b *Test) int { return cmp.Compare(a.Wall, b.Wall) })
	for size := 1.0; len(tests) > 0 && len(j.verdict.Killed) == 0; size *= 8 {
		seconds, n := 0.0, 0
		for n < len(tests) && (n == 0 || seconds+tests[n].Wall <= size) {
			seconds += tests[n].Wall
			n++
		}
		j.tests(tests[:n], true)
		tests = tests[n:]
	}
}

// tests runs tests of one package in as many processes as are needed, because a process ends with a panic.
func (j *judge) tests(tests []*Test, first bool) {
	v := j.verdict
	for len(tests) > 0 && len(v.Hung) < enough && !(first && len(v.Killed) > 0) {
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
