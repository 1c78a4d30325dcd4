package binary

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/process"
	"pixgraph/test/gatewaytest"
)

// binary is the path of the gateway's binary.
var binary string

// TestMain builds the binary.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "pixgraph")
	if err == nil {
		binary, err = process.Build(context.Background(), dir)
	}
	code := 1
	if err == nil {
		code = m.Run()
	}
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// notShort skips a test in the short pass of make test, which has TestInterrupt alone: the start, a query and the end.
func notShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("make verify runs it")
	}
}

// output stores what a process prints, and lets a test wait for a text.
type output struct {
	gatewaytest.Log
	written chan struct{} // has a value after a write
	ended   chan struct{} // closed when the process has ended and all is read
}

func newOutput() *output { return &output{written: make(chan struct{}, 1), ended: make(chan struct{})} }

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.Log.Write(p)
	select {
	case o.written <- struct{}{}:
	default:
	}
	return n, err
}

// await waits for a text. Its error has what was printed until the end of the process, or shortly before a deadline,
// that of go test.
func (o *output) await(text string, deadline time.Time) error {
	var late <-chan time.Time // never, without a deadline
	if !deadline.IsZero() {
		late = time.After(time.Until(deadline) - 10*time.Second)
	}
	for reason := ""; ; {
		if strings.Contains(o.String(), text) {
			return nil
		}
		if reason != "" {
			return fmt.Errorf("waited for %q until %s; the output is\n%s", text, reason, o)
		}
		select {
		case <-o.written:
		case <-o.ended:
			reason = "the process ended"
		case <-late:
			reason = "the end of the time of go test"
		}
	}
}

// deadlineOf is when go test ends a test; the zero time if it does not.
func deadlineOf(t *testing.T) time.Time {
	deadline, _ := t.Deadline()
	return deadline
}

// started is a process of the binary.
type started struct {
	process *exec.Cmd
	log     *output
}

// start starts the binary, with variables in addition to those of the test, and waits until it serves. The process ends
// with the test.
func start(t *testing.T, env []string, args ...string) *started {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = append(withoutSettings(), env...)
	s, err := startCommand(cmd, deadlineOf(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	return s
}

// startCommand starts a gateway and waits until it serves.
func startCommand(cmd *exec.Cmd, deadline time.Time) (*started, error) {
	s := &started{cmd, newOutput()}
	cmd.Stderr = s.log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait() // its result is in ProcessState
		close(s.log.ended)
	}()
	err := s.log.await(`"msg":"serving"`, deadline)
	if err != nil {
		s.kill()
	}
	return s, err
}

// kill kills the process and waits for its end.
func (s *started) kill() {
	_ = s.process.Process.Kill() // fails if the process has ended
	<-s.log.ended
}

// stop sends the signal that a user sends with Ctrl-C, and waits for the end, which must be without an error.
func (s *started) stop(t *testing.T) {
	t.Helper()
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-s.log.ended
	if s.process.ProcessState.ExitCode() != 0 {
		t.Errorf("the gateway ended with %s: %s", s.process.ProcessState, s.log)
	}
}

// address returns the public address from the line of the log.
func (s *started) address() string {
	_, rest, _ := strings.Cut(s.log.String(), `"address":"`)
	address, _, _ := strings.Cut(rest, `"`)
	return address
}

// client is a client of the public address.
func (s *started) client(t *testing.T, token string) gatewaytest.Client {
	return gatewaytest.Client{T: t, URL: "http://" + s.address(), Token: token, HTTP: http.DefaultClient}
}

// withoutSettings is the environment of the test without what configures the gateway, make and OpenTelemetry.
func withoutSettings() (env []string) {
	for _, line := range os.Environ() {
		name, _, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, "PIXGRAPH_") && !strings.HasPrefix(name, "MAKE") && !strings.HasPrefix(name, "MFLAGS") && !strings.HasPrefix(name, "OTEL_") {
			env = append(env, line)
		}
	}
	return env
}

// TestLogReaderEnds: a gateway whose log lost its reader, such as the other end of a pipe, drains without an error.
func TestLogReaderEnds(t *testing.T) {
	log, written, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0")
	cmd.Env, cmd.Stderr = withoutSettings(), written
	if err := errors.Join(cmd.Start(), written.Close()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), `"msg":"serving"`) {
	}
	if err := errors.Join(lines.Err(), log.Close(), cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil {
		t.Error(err)
	}
}
