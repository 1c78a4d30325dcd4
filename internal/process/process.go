// Package process starts servers as processes of this machine, such as the gateway's binary, and reads how much
// processor time, memory and file descriptors they use. It sends them no load. It needs Linux, for /proc.
//
// Read first: Start.
package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// Process is a server that was started.
type Process struct {
	Name           string
	Address, Admin string    // host:port
	Began          time.Time // just before the start

	cmd      *exec.Cmd
	drained  chan struct{} // closed at the end of the process's output
	lastLine string        // before it served
	client   *http.Client  // of the admin address
}

// serving is the line of JSON with which a server reports its addresses on standard error, as the gateway logs it.
type serving struct{ Msg, Address, Admin string }

// Build builds the gateway's binary in a directory as `make build` does, with additional flags of `go build`. It
// returns the path of the binary.
func Build(ctx context.Context, dir string, flags ...string) (string, error) {
	binary := filepath.Join(dir, "pixgraph")
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "pixgraph").Output() // the caller may be a module of its own
	if err != nil {
		return "", fmt.Errorf("find the gateway's module: %w", err)
	}
	build := []string{"build", "-trimpath", "-tags=grpcnotrace", "-gcflags=all=-dwarf=false", "-ldflags=-w", "-o", binary}
	cmd := exec.CommandContext(ctx, "go", append(append(build, flags...), ".")...)
	cmd.Dir = strings.TrimSpace(string(root))
	cmd.Env = os.Environ()
	if !slices.Contains(flags, "-race") { // which needs cgo
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("build the gateway: %w: %s", err, out)
	}
	return binary, err
}

// Config says what process to start.
type Config struct {
	Name, Binary string
	Args         []string
	Env          []string  // added to the environment of the caller, from which no PIXGRAPH_ variable is inherited
	Input        any       // written to standard input as JSON; nil for none
	Log          io.Writer // receives the standard error; nil to discard it
}

// Start starts a server and returns when it serves, or fails when it ends. It waits until the end of ctx, which kills
// the process. Its standard input ends with the process that called Start. The caller must Stop the process.
func Start(ctx context.Context, c Config) (*Process, error) {
	p := &Process{
		Name: c.Name, Began: time.Now(), cmd: exec.CommandContext(ctx, c.Binary, c.Args...), drained: make(chan struct{}),
		client: &http.Client{Transport: &http.Transport{}},
	}
	p.cmd.Env = slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "PIXGRAPH_") })
	p.cmd.Env = append(p.cmd.Env, c.Env...)
	stdin, noStdin := p.cmd.StdinPipe()
	stderr, noStderr := p.cmd.StderrPipe()
	if err := errors.Join(noStdin, noStderr, p.cmd.Start()); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	var output io.Reader = stderr
	if c.Log != nil {
		output = io.TeeReader(stderr, c.Log)
	}
	found := make(chan serving, 1)
	go p.read(output, found)
	if c.Input != nil {
		_ = json.NewEncoder(stdin).Encode(c.Input) // a process that does not read it does not serve
	}
	at := <-found
	p.Address, p.Admin = at.Address, at.Admin
	if p.Address == "" {
		stopped := p.Stop()
		return nil, errors.Join(fmt.Errorf("%s did not serve; its last line: %q", c.Name, p.lastLine), stopped)
	}
	return p, nil
}

// read finds the addresses in the output, and then reads the output to its end.
func (p *Process) read(output io.Reader, found chan<- serving) {
	defer close(p.drained)
	defer close(found)
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	for at := (serving{}); at.Msg != "serving" && lines.Scan(); p.lastLine = lines.Text() {
		if json.Unmarshal(lines.Bytes(), &at) == nil && at.Msg == "serving" {
			found <- at
		}
	}
	_, _ = io.Copy(io.Discard, output)
}

// Stop sends SIGTERM and waits for the end. It fails if the process does not exit with status 0.
func (p *Process) Stop() error {
	p.client.CloseIdleConnections()
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails if the process has exited, which Wait reports
	<-p.drained
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%s ended: %w", p.Name, err)
	}
	return nil
}

// Usage is what a process uses of the machine.
type Usage struct {
	CPU       time.Duration // user and system, since the start; the kernel counts it in steps of 10 ms
	RSS, Peak int64         // bytes in memory, and the maximum since the start
	Files     int           // open file descriptors
}

// Usage reads /proc.
func (p *Process) Usage() (Usage, error) {
	proc, err := procfs.NewProc(p.cmd.Process.Pid)
	if err != nil {
		return Usage{}, err
	}
	stat, noStat := proc.Stat()
	status, noStatus := proc.NewStatus()
	files, noFiles := proc.FileDescriptorsLen()
	cpu := time.Duration(stat.CPUTime() * float64(time.Second))
	return Usage{cpu, int64(status.VmRSS), int64(status.VmHWM), files}, errors.Join(noStat, noStatus, noFiles)
}

// ResetPeak makes the next Usage report the peak since now.
func (p *Process) ResetPeak() error {
	const peak = "5" // see proc_pid_clear_refs(5)
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte(peak), 0)
}

// Get returns a page of the admin address.
func (p *Process) Get(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.Admin+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d", path, resp.StatusCode)
	}
	return string(body), err
}

// Metric returns the value of a metric. The name includes the labels, written as in the text of /metrics.
func (p *Process) Metric(ctx context.Context, name string) (float64, error) {
	text, err := p.Get(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut("\n"+text, "\n"+name+" ")
	value, _, _ := strings.Cut(rest, "\n")
	if !found {
		return 0, fmt.Errorf("there is no metric %s", name)
	}
	return strconv.ParseFloat(value, 64)
}
