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

// A process hangs if a test takes multiple times what it takes alone, and binary.patience more.
const multiple = 10

// outcome is what a process said about its tests.
type outcome struct {
	passed, failed []*test
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

// output is what a process prints. It stops one that has printed nothing for too long.
type output struct {
	bytes.Buffer
	stop    *time.Timer
	silence time.Duration
}

func (o *output) Write(p []byte) (int, error) {
	o.stop.Reset(o.silence)
	return o.Buffer.Write(p)
}

// run runs tests one after another in one process, as make test does, until one fails or the process ends. Verdicts of
// tests that it did not come to are missing.
func (b *binary) run(tests []*test, environ string) outcome {
	var names []string
	var longest, sum float64
	for _, t := range tests {
		names = append(names, t.name)
		longest, sum = max(longest, t.seconds), sum+t.seconds
	}
	limit := func(seconds float64) time.Duration {
		return b.patience + time.Duration(multiple*seconds*float64(time.Second))
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit(sum))
	defer cancel()
	out := output{stop: time.AfterFunc(limit(longest), cancel), silence: limit(longest)}
	defer out.stop.Stop()
	cmd := exec.CommandContext(ctx, b.path, "-test.run=^("+strings.Join(names, "|")+")$", "-test.v=test2json", "-test.parallel=1",
		"-test.short", "-test.failfast", "-test.timeout=0")
	cmd.Dir, cmd.Env = b.directory, append(os.Environ(), environ)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second // processes that are left may keep the output open
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err := cmd.Run()
	if cmd.Process == nil {
		panic(fmt.Sprint("start ", b.path, ": ", err))
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // processes that the tests have started
	o := read(out.String(), tests)
	o.seconds = time.Since(began).Seconds()
	o.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	o.unexplained = err != nil && len(o.failed) == 0
	return o
}

// read reads the output of a process. A test that has begun and not ended is one that panicked, exited or hung.
func read(printed string, tests []*test) (o outcome) {
	byName := map[string]*test{}
	for _, t := range tests {
		byName[t.name] = t
	}
	var current *test // the one that runs
	for line := range strings.Lines(printed) {
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
	}
	return o
}
