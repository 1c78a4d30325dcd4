package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tick is what the kernel counts processor time in, for those who read /proc: 100 a second on all architectures that Go
// runs on.
const tick = 10 * time.Millisecond

// cpuTime is the processor time, user and system, that a process has taken, with the children that it waited for.
func cpuTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The second field is the name of the binary, in parentheses, which may hold anything. Behind it, from the third one
	// on, come numbers: utime, stime, cutime and cstime are the 14th to the 17th.
	_, rest, _ := bytes.Cut(text, []byte(") "))
	const first, last = 14 - 3, 17 - 3
	fields := strings.Fields(string(rest))
	if len(fields) <= last {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	var ticks int64
	for _, field := range fields[first : last+1] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}

// The sizes that memoryOf reads.
const (
	residentNow  = "VmRSS"
	residentPeak = "VmHWM"
)

// memoryOf is a size of a process, in bytes.
func memoryOf(pid int, size string) (int64, error) {
	kilobytes, err := procValue(fmt.Sprintf("/proc/%d/status", pid), size)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(kilobytes, " kB"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", size, err)
	}
	return n << 10, nil
}

// procValue finds the first line of a file under /proc that is "key: value".
func procValue(path, key string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(name) == key {
			return strings.TrimSpace(value), nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", err
	}
	return "", fmt.Errorf("%s has no %s", path, key)
}

// machine says what the figures were measured on, and how busy that was with something else.
func machine() string {
	kernel, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		kernel = []byte("?")
	}
	model, err := procValue("/proc/cpuinfo", "model name")
	if err != nil {
		model = runtime.GOARCH
	}
	memory, err := procValue("/proc/meminfo", "MemTotal")
	if err != nil {
		memory = "?"
	}
	busy, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		busy = []byte("?")
	}
	busy, _, _ = bytes.Cut(busy, []byte(" "))
	return fmt.Sprintf("%d cores (%s), %s of memory, Linux %s, %s, which had a load of %s when it began",
		runtime.NumCPU(), model, memory, bytes.TrimSpace(kernel), runtime.Version(), busy)
}
