package main

import (
	"fmt"
	"slices"
	"strconv"
)

// verdict is what the tests say about a mutant.
type verdict struct {
	*Mutant
	reached            []*test // without those that fail without a mutant
	killed, hung, live []*test // tests that fail, those of them that hang, and tests that pass
}

func (v *verdict) String() string {
	return fmt.Sprintf("%v: %d tests, killed by %d: %v", v.Mutant, len(v.reached), len(v.killed), v.killed)
}

// enough is the number of tests that hang because of a mutant after which the others are not run: each takes long.
const enough = 3

// judge runs the tests that reach the n-th mutant, those of a package together.
func (v *verdict) judge(n int) {
	environ := "MUTATE=" + strconv.Itoa(n)
	for rest := v.reached; len(rest) > 0; {
		end := slices.IndexFunc(rest, func(t *test) bool { return t.binary != rest[0].binary })
		if end < 0 {
			end = len(rest)
		}
		v.run(rest[:end], environ)
		rest = rest[end:]
	}
}

// run runs tests of one package in as many processes as are needed, because a process ends with a panic.
func (v *verdict) run(tests []*test, environ string) {
	for len(tests) > 0 && len(v.hung) < enough {
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
		if o.hung && len(o.failed) > 0 {
			v.hung = append(v.hung, o.failed[len(o.failed)-1])
		}
		if len(o.passed)+len(o.failed) == 0 {
			return
		}
		tests = slices.DeleteFunc(slices.Clone(tests), func(t *test) bool {
			return slices.Contains(o.passed, t) || slices.Contains(o.failed, t)
		})
	}
}
