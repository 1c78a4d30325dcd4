package hostile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// timeout is how long any step may take on a busy machine.
const timeout = 60 * time.Second

// build builds the binary with the race detector.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "pixgraph")
	if out, err := exec.Command("go", "build", "-race", "-o", binary, "pixgraph").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}

// process is a running gateway.
type process struct {
	cmd           *exec.Cmd
	stderr        *stderr
	address       string // of /graphql
	admin         string // of /healthz
	readingStderr sync.WaitGroup
}

// raceEnviron is the environment of a binary with the race detector. With Go's default garbage collection the memory at
// the end shows what is still in use, not what is uncollected; the race detector multiplies either.
func raceEnviron() []string {
	return []string{"GORACE=halt_on_error=1 atexit_sleep_ms=100", "GOGC=100"}
}

// launch starts the binary on free ports, with additional environment variables, and waits until it serves. The process
// ends with the test at the latest.
func launch(t *testing.T, binary string, environ []string, flags ...string) *process {
	t.Helper()
	p := &process{stderr: &stderr{serving: make(chan [2]string, 1)}}
	p.cmd = exec.Command(binary, append([]string{"--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0"}, flags...)...)
	p.cmd.Env = append(os.Environ(), environ...)
	pipe, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.readingStderr.Go(func() { p.stderr.read(pipe) })
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			p.readingStderr.Wait()
			_ = p.cmd.Wait()
		}
	})
	select {
	case at := <-p.stderr.serving:
		p.address, p.admin = at[0], at[1]
	case <-time.After(timeout):
		t.Fatalf("the gateway does not serve: %s", p.stderr)
	}
	return p
}

// stop signals the process and returns its exit code.
func (p *process) stop(t *testing.T) int {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.readingStderr.Wait()
		_ = p.cmd.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(timeout):
		t.Error("the process does not end")
		_ = p.cmd.Process.Kill()
		<-ended
	}
	return p.cmd.ProcessState.ExitCode()
}

// proc reads a file of the process in /proc.
func (p *process) proc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// resident is the memory of the process, in bytes.
func (p *process) resident(t *testing.T) int64 {
	t.Helper()
	return p.memory(t, "VmRSS:")
}

// memory reads a line of /proc/PID/status, in bytes.
func (p *process) memory(t *testing.T, line string) int64 {
	t.Helper()
	_, rest, ok := strings.Cut(p.proc(t, "status"), line)
	if !ok {
		t.Fatalf("the process has ended: %.5000s", p.stderr)
	}
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// clockTick is the unit of the times in /proc/PID/stat, which is the same on every Linux that Go runs on.
const clockTick = 10 * time.Millisecond

// cpu is the processor time that the process has used.
func (p *process) cpu(t *testing.T) time.Duration {
	t.Helper()
	stat := p.proc(t, "stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]) // from the third field on: the name may contain spaces
	var ticks int64
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick
}

// stderr stores the log of a process, and reports its addresses.
type stderr struct {
	mu      sync.Mutex
	text    bytes.Buffer
	serving chan [2]string
}

func (s *stderr) read(from io.Reader) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		s.mu.Lock()
		s.text.Write(line)
		s.mu.Unlock()
		var start struct{ Msg, Address, Admin string }
		if json.Unmarshal(line, &start) == nil && start.Msg == "serving" {
			s.serving <- [2]string{start.Address, start.Admin}
		}
		if err != nil {
			return
		}
	}
}

func (s *stderr) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
