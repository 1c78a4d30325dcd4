package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// sample is what was seen of a gateway at rest, after a cycle.
type sample struct {
	at         time.Duration
	requests   int64 // sent in the cycle
	withErrors int64 // those whose answer had errors, or was a refusal
	rss        int64 // bytes in memory
	heap       int64 // bytes that the collector leaves
	goroutines int64
	files      int64 // open descriptors
}

const header = "    time  requests  with errors  RSS MiB  heap MiB  goroutines  files\n"

func (s sample) row() string {
	const mebibyte = 1 << 20
	return fmt.Sprintf("%8s  %8d  %11d  %7.1f  %8.2f  %10d  %5d\n", s.at.Round(time.Second), s.requests, s.withErrors,
		float64(s.rss)/mebibyte, float64(s.heap)/mebibyte, s.goroutines, s.files)
}

// rest is how long a gateway may take to come to rest, and pause the time between two looks at it.
const (
	rest  = 10 * time.Second
	pause = 200 * time.Millisecond
)

// look waits until the gateway is at rest, which is when it has no more goroutines and files than a moment before, and
// says how it is then.
func (s *soak) look(ctx context.Context) (sample, error) {
	deadline := time.Now().Add(rest)
	before, err := s.glance(ctx)
	for err == nil {
		select {
		case <-ctx.Done():
			return sample{}, ctx.Err()
		case <-time.After(pause):
		}
		var now sample
		if now, err = s.glance(ctx); err != nil {
			break
		}
		if now.goroutines >= before.goroutines && now.files >= before.files || time.Now().After(deadline) {
			now.requests, now.withErrors = s.requests.Swap(0), s.withErrors.Swap(0)
			return now, nil
		}
		before = now
	}
	return sample{}, err
}

// glance has the gateway collect its garbage, and reads what it is at that moment.
func (s *soak) glance(ctx context.Context) (sample, error) {
	if _, err := s.read(ctx, "/debug/pprof/heap?gc=1"); err != nil {
		return sample{}, err
	}
	metrics, err := s.read(ctx, "/metrics")
	if err != nil {
		return sample{}, err
	}
	seen := sample{}
	for name, into := range map[string]*int64{"go_memstats_heap_alloc_bytes": &seen.heap, "go_goroutines": &seen.goroutines} {
		if *into, err = metricOf(metrics, name); err != nil {
			return sample{}, err
		}
	}
	proc := fmt.Sprintf("/proc/%d/", s.gateway.cmd.Process.Pid)
	files, err := os.ReadDir(proc + "fd")
	if err != nil {
		return sample{}, err
	}
	seen.files = int64(len(files))
	seen.rss, err = residentOf(proc + "status")
	return seen, err
}

// read gets a page of the admin address.
func (s *soak) read(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.gateway.admin+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %d", path, resp.StatusCode)
	}
	return string(body), err
}

// metricOf finds the value of a metric without labels.
func metricOf(text, name string) (int64, error) {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return int64(number), err
		}
	}
	return 0, fmt.Errorf("there is no metric %s", name)
}

// residentOf reads a process's size in memory.
func residentOf(path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("%s has no VmRSS", path)
}
