// Mutate measures which tests find which defects. It changes single places of the code (mutants), chosen at random by a
// seed, and runs each test that reaches the place, of whatever package. A test that fails kills the mutant. The report
// names tests without which each mutant would still be killed.
//
// All mutants are compiled at once; a process switches one of them on (package mutant). Tests that fail without a
// mutant are left out. A mutant that lives may be equivalent to the code, so no figure is a goal, and no run fails for
// one. It needs Linux, for /proc.
//
// Read first: run, then judge in judge.go. What is changed is in sites.go.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	root, packages, skip, tests, out, candidates string
	seed                                         uint64
	mutants, jobs                                int
	short, report                                bool
	patience                                     time.Duration // of binary
}

func run(arguments []string, stdout, stderr io.Writer) error {
	o := options{patience: 10 * time.Second}
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.root, "root", ".", "a `folder` of the module; better a clone, which nobody edits meanwhile")
	flags.StringVar(&o.packages, "packages", "./...", "packages to mutate, separated by spaces")
	flags.StringVar(&o.skip, "skip", `(^|/)(test|tools|sandbox|generated?|memnet|\w+test)(/|$)`, "`regexp` of packages not to mutate")
	flags.StringVar(&o.tests, "tests", "./auth/... ./fleet/... ./gateway/... ./graph/... ./internal/... ./request/... ./sandbox/... ./serve/... ./upstream/... ./web/...", "packages whose tests are run")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the choice")
	flags.IntVar(&o.mutants, "mutants", 200, "mutants a package")
	flags.IntVar(&o.jobs, "jobs", 1, "processes at the same time")
	flags.BoolVar(&o.short, "short", true, "run the tests with -short, as make test does")
	flags.StringVar(&o.out, "out", "mutants.jsonl", "`file` of verdicts; a later run on the same code, with other -packages or more -mutants, skips what it has")
	flags.StringVar(&o.candidates, "candidates", "", "`regexp` of test files in question, such as ^serve/mcp/: only these are all run")
	flags.BoolVar(&o.report, "report", false, "only report what the file of verdicts has")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	candidates, err := regexp.Compile(cmp.Or(o.candidates, "$."))
	if err != nil {
		return err
	}
	records, err := open(o.out)
	if err != nil {
		return err
	}
	defer records.file.Close()
	if !o.report {
		if err := o.measure(records, candidates, stderr); err != nil {
			return err
		}
	}
	records.report(stdout, candidates)
	return records.err
}

// measure fills in the records.
func (o *options) measure(records *records, candidates *regexp.Regexp, stderr io.Writer) error {
	skip, err := regexp.Compile(o.skip)
	if err != nil {
		return err
	}
	m, err := load(o.root)
	if err != nil {
		return err
	}
	packages, err := m.list(strings.Fields(o.packages)...)
	if err != nil {
		return err
	}
	tested, err := m.list(strings.Fields(o.tests)...)
	if err != nil {
		return err
	}
	if err := records.ask(o.question(packages, tested)); err != nil {
		return err
	}
	var mutants []*Mutant
	for _, p := range packages {
		if skip.MatchString(p.ImportPath) {
			continue
		}
		chosen, err := m.choose(p, o.seed, o.mutants)
		if err != nil {
			return err
		}
		mutants = append(mutants, chosen...)
	}
	directory, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	tests, binaries, err := o.compile(m, mutants, tested, directory)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%d mutants, %d tests\n", len(mutants), len(tests))

	records.sites = sites(mutants)
	each(o.jobs, len(tests), func(i int) {
		if known := records.known(tests[i]); known != nil {
			tests[i] = known
			return
		}
		tests[i].record(binaries[tests[i].Package], filepath.Join(directory, fmt.Sprint("reached", i)), len(mutants))
		records.add(record{Sites: records.sites, Test: tests[i]})
	})
	reaching := make([][]*Test, len(mutants))
	for _, t := range tests {
		if t.Failed {
			fmt.Fprintf(stderr, "%v fails without a mutant\n", t)
			continue
		}
		for _, n := range t.Reached {
			reaching[n] = append(reaching[n], t)
		}
	}
	var inQuestion func(*Test) bool
	if o.candidates != "" {
		inQuestion = func(t *Test) bool { return candidates.MatchString(path.Join(t.Package, t.File)) }
	}
	each(o.jobs, len(mutants), func(n int) {
		if records.has(mutants[n]) {
			return
		}
		j := judge{binaries: binaries, verdict: &Verdict{Mutant: mutants[n]}}
		j.run(n, reaching[n], inQuestion)
		records.add(record{Verdict: j.verdict})
		fmt.Fprintf(stderr, "%v: %d tests, killed by %d (%.0f s)\n", mutants[n], j.verdict.Reached, len(j.verdict.Killed), j.verdict.CPU)
	})
	return nil
}

// question is a hash of the code and of the flags that decide about a verdict.
func (o *options) question(packages, tested []listed) string {
	hash := fnv.New64a()
	fmt.Fprintln(hash, o.candidates, o.short, o.tests)
	isTested := func(p listed) bool {
		return slices.ContainsFunc(tested, func(t listed) bool { return t.ImportPath == p.ImportPath })
	}
	for _, p := range slices.Concat(tested, slices.DeleteFunc(slices.Clone(packages), isTested)) {
		for _, name := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			text, _ := os.ReadFile(filepath.Join(p.Dir, name)) // who compiles it reports an error
			fmt.Fprintln(hash, p.ImportPath, name, len(text))
			_, _ = hash.Write(text)
		}
	}
	return fmt.Sprintf("%x", hash.Sum64())
}

// compile compiles the tests of each package with all mutants.
func (o *options) compile(m *module, mutants []*Mutant, packages []listed, directory string) ([]*Test, map[string]*binary, error) {
	overlay, err := m.instrument(mutants, directory)
	if err != nil {
		return nil, nil, err
	}
	var tests []*Test
	binaries := map[string]*binary{}
	for _, p := range packages {
		found, err := m.tests(p)
		if err != nil {
			return nil, nil, err
		}
		if len(found) == 0 {
			continue
		}
		b := &binary{
			path: filepath.Join(directory, strings.ReplaceAll(p.ImportPath, "/", "_")+".test"), directory: p.Dir, patience: o.patience,
		}
		if o.short {
			b.flags = []string{"-test.short"}
		}
		if _, err := m.command("test", "-c", "-vet=off", "-overlay="+overlay, "-o", b.path, "./"+p.ImportPath); err != nil {
			return nil, nil, err
		}
		tests, binaries[p.ImportPath] = append(tests, found...), b
	}
	return tests, binaries, nil
}

// record runs a test alone and notes the mutants that it reaches, for which the process has the memory of a file.
func (t *Test) record(b *binary, file string, mutants int) {
	if err := os.WriteFile(file, make([]byte, mutants), 0o644); err != nil {
		panic(err)
	}
	t.CPU, t.Wall = 60, 60 // its limits are not known
	o := b.run([]*Test{t}, "MUTATE_RECORD="+file, false)
	t.CPU, t.Wall, t.Failed = o.cpu, o.wall, len(o.passed) == 0 || o.unexplained
	reached, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	for n, mark := range reached {
		if mark != 0 {
			t.Reached = append(t.Reached, n)
		}
	}
}

// each calls f for 0 to n-1, at most jobs at the same time.
func each(jobs, n int, f func(int)) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, jobs)
	for i := range n {
		slots <- struct{}{}
		wait.Go(func() {
			f(i)
			<-slots
		})
	}
	wait.Wait()
}
