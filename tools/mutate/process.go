package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A process hangs if it takes multiple times what its tests take alone, and binary.patience more.
const multiple = 10

// outcome is what a process said about its tests.
type outcome struct {
	passed, failed []*test
	hung           bool // the last failed test did
	// unexplained is whether the process failed although no test did, or before the first: such as because of a
	// goroutine that is left.
	unexplained  bool
	cpu, seconds float64 // seconds of processor time, and from the start to the end
}

// binary is the compiled tests of a package.
type binary struct {
	path, directory string
	patience        time.Duration
}

// run runs tests one after another in one process, as make test does, until all have ended or the process ends.
// Verdicts of tests that it did not come to are missing.
func (b *binary) run(tests []*test, environ string) outcome {
	var names []string
	limit := b.patience
	for _, t := range tests {
		names = append(names, t.name)
		limit += time.Duration(multiple * t.seconds * float64(time.Second))
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit+time.Minute) // when the runtime itself hangs
	defer cancel()
	cmd := exec.CommandContext(ctx, b.path, "-test.run=^("+strings.Join(names, "|")+")$", "-test.v=test2json", "-test.parallel=1",
		"-test.short", "-test.timeout="+limit.String())
	cmd.Dir, cmd.Env = b.directory, append(os.Environ(), environ)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second // processes that are left may keep the output open
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	began := time.Now()
	err := cmd.Run()
	if cmd.Process == nil {
		panic(fmt.Sprint("start ", b.path, ": ", err))
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // processes that the tests have started
	o := read(output.String(), tests)
	o.seconds = time.Since(began).Seconds()
	o.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	o.unexplained = err != nil && len(o.failed) == 0
	return o
}

// read reads the output of a process. A test that has begun and not ended is one that panicked, exited or hung.
func read(output string, tests []*test) (o outcome) {
	byName := map[string]*test{}
	for _, t := range tests {
		byName[t.name] = t
	}
	var current *test // the one that runs
	for line := range strings.Lines(output) {
		_, event, _ := strings.Cut(line, "\x16") // marks the lines of package testing
		words := strings.Fields(event)
		if len(words) < 3 || byName[words[2]] == nil { // of a subtest
			continue
		}
		switch t := byName[words[2]]; words[1] {
		case "RUN", "CONT":
			current = t
		case "PASS:", "SKIP:":
			o.passed, current = append(o.passed, t), nil
		case "FAIL:":
			o.failed, current = append(o.failed, t), nil
		}
	}
	if current != nil {
		o.failed = append(o.failed, current)
		o.hung = strings.Contains(output, "panic: test timed out after ")
	}
	return o
}
