package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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

// verdicts are, for each mutant of the module, the number of tests that reach it, and those that it fails or hangs.
const verdicts = `
10:3: remove the assignment 2 [TestSteps] []
11:17: + to - 2 [TestSteps TestMost] []
11:19: 1 to 0 2 [TestSteps TestMost] []
11:19: 1 to 2 2 [TestSteps] []
11:3: remove the assignment 2 [TestSteps TestMost] []
17:10: 1 to 0 1 [TestOdd] []
17:10: 1 to 2 1 [TestOdd] []
17:8: > to <= 1 [TestOdd] []
17:8: > to >= 1 [TestOdd] []
18:3: remove the assignment 1 [TestOdd] [TestOdd]
18:8: 2 to 1 1 [TestOdd] []
18:8: 2 to 3 1 [TestOdd] []
20:17: || to && 1 [] []
20:5: negate the condition 1 [TestOdd] []
21:5: == to != 1 [TestOdd] []
21:8: 3 to 2 1 [] []
21:8: 3 to 4 1 [] []
22:11: 1 to 0 0 [] []
22:11: 1 to 2 0 [] []
22:3: remove the call 0 [] []
24:11: != to == 1 [TestOdd] []
24:14: 0 to -1 1 [TestOdd] []
24:14: 0 to 1 1 [TestOdd] []
27:36: negate the result 1 [TestOdd] []
27:40: >= to < 1 [TestOdd] []
27:40: >= to > 1 [TestOdd] []
27:43: 0 to -1 1 [] []
27:43: 0 to 1 1 [TestOdd] []
9:10: 0 to -1 2 [TestSteps] []
9:10: 0 to 1 2 [TestSteps] []
9:12: && to || 2 [TestSteps TestMost] []
9:21: <= to < 1 [TestMost] []
9:21: <= to > 2 [TestSteps TestMost] []
9:24: 3 to 2 2 [TestMost] []
9:24: 3 to 4 2 [TestMost] []
9:6: negate the condition 2 [TestSteps TestMost] []
9:8: > to <= 2 [TestSteps TestMost] []
9:8: > to >= 1 [TestSteps] []
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
	o := options{root: root, packages: "./...", skip: "$.", tests: "./...", mutants: 100, jobs: 2, patience: time.Second}
	measure := func(candidates string) *records {
		t.Helper()
		o.candidates, o.out = candidates, filepath.Join(root, "out"+candidates)
		records, err := open(o.out)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { records.file.Close() })
		if err := o.measure(records, regexp.MustCompile(candidates), io.Discard); err != nil {
			t.Fatal(err)
		}
		return records
	}

	records := measure("")
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(records.verdicts)) {
		v := records.verdicts[name]
		slices.Sort(v.Killed)
		fmt.Fprintln(&lines, strings.TrimPrefix(name, "count/count.go:"), v.Reached, v.Killed, v.Hung)
		if len(v.Killed)+len(v.Live) != v.Reached || v.Partial {
			t.Errorf("%s: of %d tests %q fail and %q pass", name, v.Reached, v.Killed, v.Live)
		}
	}
	got := strings.NewReplacer("count.T", "T", "use.T", "T").Replace(lines.String())
	if want := strings.TrimPrefix(verdicts, "\n"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}

	before, _ := records.file.Seek(0, io.SeekEnd)
	if again := measure(""); len(again.verdicts) != len(records.verdicts) {
		t.Error("the second run did not read the file")
	} else if after, _ := again.file.Seek(0, io.SeekEnd); after != before {
		t.Error("the second run wrote to the file")
	}

	var report strings.Builder
	measure("count").report(&report, regexp.MustCompile("count"))
	for _, want := range []string{
		" 38 35 31 5 26 0 count ",
		" 5 5 5 0.0 5 count/count_test.go:5 TestSteps ",
		" only by tests in question: count/count.go:9:8: > to >=: count.TestSteps ",
	} {
		if got := " " + strings.Join(strings.Fields(report.String()), " ") + " "; !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, report.String())
		}
	}

	o.candidates = "use" // in the file of other ones
	other, err := open(o.out)
	if err != nil {
		t.Fatal(err)
	}
	defer other.file.Close()
	if err := o.measure(other, regexp.MustCompile(o.candidates), io.Discard); !errors.Is(err, errQuestion) {
		t.Errorf("verdicts about another question: %v", err)
	}
}
