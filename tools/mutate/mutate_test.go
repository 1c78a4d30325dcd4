package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sources are a module whose tests fail, panic, exit and hang because of mutants.
var sources = map[string]string{
	"go.mod": "module example\n\ngo 1.26.0\n",
	"count/count.go": `package count

import "os"

const most = 3

// Steps counts from n to 0.
func Steps(n int) (steps int) {
	for n > 0 && steps <= most {
		n--
		steps = steps + 1
	}
	return steps
}

func Odd(n int) bool {
	for n > 1 {
		n -= 2
	}
	if negative(n) ||
		n == most {
		os.Exit(1)
	}
	return n != 0
}

func negative(n int) bool { return !(n >= 0) }
`,
	"count/count_test.go": `package count

import "testing"

func TestSteps(t *testing.T) {
	if Steps(2) != 2 {
		panic(2)
	}
}

func TestFails(t *testing.T) { t.Error("always") }
`,
	"use/use.go": "package use\n",
	"use/use_test.go": `package use

import (
	"testing"

	"example/count"
)

func TestMost(t *testing.T) {
	if count.Steps(9) != 4 {
		t.Error("9")
	}
}

func TestOdd(t *testing.T) {
	if !count.Odd(3) || count.Odd(4) {
		t.Error("3, 4")
	}
}
`,
}

// verdicts are, for each mutant of the module, the number of tests that reach it, and those that it fails.
const verdicts = `
10:3: remove the assignment: 2 tests, killed by 1: [TestSteps]
11:17: + to -: 2 tests, killed by 2: [TestSteps TestMost]
11:19: 1 to 0: 2 tests, killed by 2: [TestSteps TestMost]
11:19: 1 to 2: 2 tests, killed by 1: [TestSteps]
11:3: remove the assignment: 2 tests, killed by 2: [TestSteps TestMost]
17:10: 1 to 0: 1 tests, killed by 1: [TestOdd]
17:10: 1 to 2: 1 tests, killed by 1: [TestOdd]
17:8: > to <=: 1 tests, killed by 1: [TestOdd]
17:8: > to >=: 1 tests, killed by 1: [TestOdd]
18:3: remove the assignment: 1 tests, killed by 1: [TestOdd]
18:8: 2 to 1: 1 tests, killed by 1: [TestOdd]
18:8: 2 to 3: 1 tests, killed by 1: [TestOdd]
20:17: || to &&: 1 tests, killed by 0: []
20:5: negate the condition: 1 tests, killed by 1: [TestOdd]
21:5: == to !=: 1 tests, killed by 1: [TestOdd]
21:8: 3 to 2: 1 tests, killed by 0: []
21:8: 3 to 4: 1 tests, killed by 0: []
22:11: 1 to 0: 0 tests, killed by 0: []
22:11: 1 to 2: 0 tests, killed by 0: []
22:3: remove the call: 0 tests, killed by 0: []
24:11: != to ==: 1 tests, killed by 1: [TestOdd]
24:14: 0 to -1: 1 tests, killed by 1: [TestOdd]
24:14: 0 to 1: 1 tests, killed by 1: [TestOdd]
27:36: negate the result: 1 tests, killed by 1: [TestOdd]
27:40: >= to <: 1 tests, killed by 1: [TestOdd]
27:40: >= to >: 1 tests, killed by 1: [TestOdd]
27:43: 0 to -1: 1 tests, killed by 0: []
27:43: 0 to 1: 1 tests, killed by 1: [TestOdd]
9:10: 0 to -1: 2 tests, killed by 1: [TestSteps]
9:10: 0 to 1: 2 tests, killed by 1: [TestSteps]
9:12: && to ||: 2 tests, killed by 2: [TestSteps TestMost]
9:21: <= to <: 1 tests, killed by 1: [TestMost]
9:21: <= to >: 2 tests, killed by 2: [TestSteps TestMost]
9:24: 3 to 2: 2 tests, killed by 1: [TestMost]
9:24: 3 to 4: 2 tests, killed by 1: [TestMost]
9:6: negate the condition: 2 tests, killed by 2: [TestSteps TestMost]
9:8: > to <=: 2 tests, killed by 2: [TestSteps TestMost]
9:8: > to >=: 1 tests, killed by 1: [TestSteps]
`

func TestVerdicts(t *testing.T) {
	root := t.TempDir()
	for name, text := range sources {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var report strings.Builder
	o := options{root: root, packages: "./...", mutants: 100, processes: 2, patience: 3 * time.Second}
	if err := o.measure(&report); err != nil {
		t.Fatal(err)
	}

	var lines []string
	for line := range strings.Lines(report.String()) {
		if mutant, found := strings.CutPrefix(line, "count/count.go:"); found {
			lines = append(lines, strings.NewReplacer("count.T", "T", "use.T", "T").Replace(mutant))
		}
	}
	slices.Sort(lines)
	if got, want := strings.Join(lines, ""), strings.TrimPrefix(verdicts, "\n"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, want := range []string{
		" count.TestFails fails without a mutant ", " 38 35 31 12 19 count ", " 5 0.0 5 count/count_test.go:5 TestSteps ",
	} {
		if got := " " + strings.Join(strings.Fields(report.String()), " ") + " "; !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, report.String())
		}
	}
}
