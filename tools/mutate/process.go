package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A test hangs if it takes multiple times what it takes alone, and binary.patience more: processor time, or time in
// which no thread runs. Neither counts the time that the process waits for a processor, so that a busy machine changes
// no verdict.
const multiple = 10

// tick is how often both are read.
const tick = 200 * time.Millisecond

// outcome is what a process said about its tests.
type outcome struct {
	passed, failed []*Test
	hung           bool // the last failed test did
	// unexplained is whether the process failed although no test did, or before the first: such as because of a
	// goroutine that is left.
	unexplained bool
	cpu, wall   float64 // seconds
}

// binary is the compiled tests of a package.
type binary struct {
	path, directory string
	flags           []string
	patience        time.Duration
}

// run runs tests one after another in one process, until all have ended or the process ends. Verdicts of tests that it
// did not come to are missing. With first it ends at the first failed test.
func (b *binary) run(tests []*Test, environ string, first bool) outcome {
	var o outcome
	byName, names := map[string]*Test{}, []string{}
	for _, t := range tests {
		byName[t.Name], names = t, append(names, t.Name)
	}
	cmd := exec.CommandContext(context.Background(), b.path, append([]string{
		"-test.run=^(" + strings.Join(names, "|") + ")$", "-test.v=test2json", "-test.parallel=1", "-test.timeout=0",
	}, b.flags...)...)
	cmd.Dir, cmd.Env = b.directory, append(os.Environ(), environ)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	read, write, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	cmd.Stdout, cmd.Stderr = write, write // a file, so that Wait does not wait for processes that have inherited it
	started := time.Now()
	if err := cmd.Start(); err != nil {
		panic(fmt.Sprint("start ", b.path, ": ", err))
	}
	write.Close()
	lines, ended := make(chan string), make(chan error, 1)
	go func() {
		defer close(lines)
		for reader := bufio.NewReader(read); ; {
			line, err := reader.ReadString('\n')
			if _, event, ok := strings.Cut(line, "\x16"); ok {
				lines <- strings.TrimSuffix(event, "\n")
			}
			if err != nil {
				return
			}
		}
	}()
	go func() {
		ended <- cmd.Wait()
		_ = read.SetReadDeadline(time.Now().Add(time.Second)) // processes that are left may keep the pipe open
	}()
	kill := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var current *Test // the one that runs
	var idle time.Duration
	began := 0.0
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for stopped := false; lines != nil; {
		select {
		case line, ok := <-lines:
			if !ok {
				lines = nil
				break
			}
			if stopped {
				break
			}
			action, name, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(line, "=== "), "--- "), " ")
			name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
			test := byName[name] // nil for a subtest
			switch action {
			case "RUN", "CONT":
				if test != nil && test != current {
					current, idle, began = test, 0, usage(cmd.Process.Pid)
				}
			case "PASS:", "SKIP:", "FAIL:":
				if test == nil {
					break
				}
				current = nil
				if action != "FAIL:" {
					o.passed = append(o.passed, test)
					break
				}
				o.failed = append(o.failed, test)
				if first {
					stopped = true
					kill()
				}
			}
		case <-clock.C:
			if !stopped && !running(cmd.Process.Pid) {
				idle += tick
			}
			cpu, wall := 0.0, 0.0
			if current != nil {
				cpu, wall = current.CPU, current.Wall
			}
			if more := b.patience.Seconds(); idle.Seconds() > multiple*wall+more || usage(cmd.Process.Pid)-began > multiple*cpu+more {
				o.hung, stopped = o.hung || !stopped, true
				kill()
			}
		}
	}
	err = <-ended
	read.Close()
	kill() // processes that the tests have started
	o.wall = time.Since(started).Seconds()
	o.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	switch {
	case err == nil || first && len(o.failed) > 0:
	case current != nil: // it panicked, exited or hung
		o.failed = append(o.failed, current)
	case len(o.failed) == 0:
		o.unexplained = true
	}
	return o
}

// usage returns the seconds of processor time of a process.
func usage(pid int) float64 {
	fields := stat(fmt.Sprintf("/proc/%d/stat", pid))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

// running reports whether a thread of a process runs, or waits for a processor or the disk.
func running(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, thread := range threads {
		if fields := stat(thread); len(fields) > 0 && (fields[0] == "R" || fields[0] == "D") {
			return true
		}
	}
	return false
}

// stat reads the fields of a file of /proc from the state on, which follows the name in parentheses.
func stat(path string) []string {
	text, _ := os.ReadFile(path) // the process may have ended
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
}
