// Mutate measures which tests find which defects. It changes single places of the code (mutants), chosen at random by a
// seed, and runs each test that reaches the place, of whatever package. A test that fails kills the mutant. It prints a
// line for each mutant, and at the end the figures of each package and of each test.
//
// All mutants are compiled at once; a process switches one of them on (package mutant). Tests that fail without a
// mutant are left out. A mutant that lives may be equivalent to the code, so no figure is a goal, and no run fails for
// one. It needs Linux.
//
// Read first: measure, then judge in judge.go. What is changed is in sites.go.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
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
	root, packages string
	seed           uint64
	mutants        int
	processes      int           // at a time
	patience       time.Duration // of binary
}

func run(arguments []string, stdout, stderr io.Writer) error {
	o := options{patience: 10 * time.Second}
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.root, "root", ".", "a `folder` of the module; better a clone, which nobody edits meanwhile")
	flags.StringVar(&o.packages, "packages", "./...", "packages to mutate, separated by spaces")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the choice")
	flags.IntVar(&o.mutants, "mutants", 200, "mutants a package")
	flags.IntVar(&o.processes, "processes", runtime.NumCPU(), "processes at a time")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	return o.measure(stdout)
}

// Packages that are for tests and tools, or generated, are not mutated. The tests in test/ run processes, or read the
// sources, and so do not reach a mutant.
var (
	notMutated = regexp.MustCompile(`(^|/)(test|tools|sandbox|generated?|memnet|\w+test)(/|$)`)
	notTested  = regexp.MustCompile(`^test/`)
)

// measure chooses the mutants, runs the tests, and prints what they find.
func (o *options) measure(out io.Writer) error {
	m, err := load(o.root)
	if err != nil {
		return err
	}
	packages, err := m.list(strings.Fields(o.packages)...)
	if err != nil {
		return err
	}
	tested, err := m.list("./...")
	if err != nil {
		return err
	}
	var mutants []*Mutant
	for _, p := range packages {
		if notMutated.MatchString(p.ImportPath) {
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
	tests, err := o.compile(m, mutants, tested, directory)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d mutants, %d tests\n", len(mutants), len(tests))

	verdicts := make([]*verdict, len(mutants))
	for n, mutant := range mutants {
		verdicts[n] = &verdict{Mutant: mutant}
	}
	for _, t := range tests {
		reached := t.record(filepath.Join(directory, "reached"), len(mutants))
		if t.fails {
			fmt.Fprintf(out, "%v fails without a mutant\n", t)
			continue
		}
		for n, mark := range reached {
			if mark != 0 {
				verdicts[n].reached = append(verdicts[n].reached, t)
			}
		}
	}
	next, ended := make(chan int), make(chan *verdict)
	for range o.processes {
		go func() {
			for n := range next {
				verdicts[n].judge(n)
				ended <- verdicts[n]
			}
		}()
	}
	go func() {
		for n := range verdicts {
			next <- n
		}
		close(next)
	}()
	for range verdicts {
		fmt.Fprintln(out, <-ended)
	}
	return report(out, tests, verdicts)
}

// compile compiles the tests of each package with all mutants.
func (o *options) compile(m *module, mutants []*Mutant, packages []listed, directory string) ([]*test, error) {
	overlay, err := m.instrument(mutants, directory)
	if err != nil {
		return nil, err
	}
	var tests []*test
	for _, p := range packages {
		if notTested.MatchString(p.ImportPath) {
			continue
		}
		b := &binary{
			path: filepath.Join(directory, strings.ReplaceAll(p.ImportPath, "/", "_")+".test"), directory: p.Dir, patience: o.patience,
		}
		found, err := m.tests(p, b)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue
		}
		if _, err := m.command("test", "-c", "-vet=off", "-overlay="+overlay, "-o", b.path, "./"+p.ImportPath); err != nil {
			return nil, err
		}
		tests = append(tests, found...)
	}
	return tests, nil
}

// record runs a test alone, and returns a mark for each mutant that it reaches. The process has the memory of a file
// for them.
func (t *test) record(file string, mutants int) []byte {
	if err := os.WriteFile(file, make([]byte, mutants), 0o644); err != nil {
		panic(err)
	}
	t.seconds = 60 // its limit is not known
	o := t.binary.run([]*test{t}, "MUTATE_RECORD="+file)
	t.cpu, t.seconds, t.fails = o.cpu, o.seconds, len(o.passed) == 0 || o.unexplained
	reached, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	return reached
}
