package gateway_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/gateway"
	"pixgraph/gateway/settings"
	"pixgraph/internal/memnet"
	"pixgraph/test/replica"
)

// The scripts of test/binary test the commands; here is what scripts cannot express.

// runCommand runs a command in the process of the test and returns its outputs and its exit code.
func runCommand(ctx context.Context, p gateway.Process, args ...string) (stdout, stderr string, code int) {
	var out, problems strings.Builder
	if p.Stdin == nil {
		p.Stdin = strings.NewReader("")
	}
	if p.Stdout == nil {
		p.Stdout = &out
	}
	p.Args, p.Stderr = args, &problems
	code = gateway.Run(ctx, p)
	return out.String(), problems.String(), code
}

// TestHelpIsComplete: the help has each setting once.
func TestHelpIsComplete(t *testing.T) {
	help, _, _ := runCommand(t.Context(), gateway.Process{}, "help")
	for _, setting := range settings.Table() {
		if n := strings.Count(help, "\n  --"+strings.ReplaceAll(setting.Key, "_", "-")+" "+setting.Type+" "); n != 1 {
			t.Errorf("%s is listed %d times", setting.Key, n)
		}
	}
}

// TestCheckIsBounded: a file that is too large is not read to its end.
func TestCheckIsBounded(t *testing.T) {
	endless := &counter{}
	_, stderr, code := runCommand(t.Context(), gateway.Process{Stdin: endless}, "check", "-")
	if code != 1 || stderr != "<stdin>: is larger than 33554432 bytes\n" || endless.read > 64<<20 {
		t.Errorf("exit code %d after %d bytes: %s", code, endless.read, stderr)
	}
}

// counter is an input without end.
type counter struct{ read int }

func (c *counter) Read(p []byte) (int, error) {
	c.read += len(p)
	return len(p), nil
}

// TestCommandsAreInterrupted: a signal ends a command that waits for its standard input.
func TestCommandsAreInterrupted(t *testing.T) {
	for _, args := range [][]string{{"check", "-"}, {"doctor", "--sandbox", "--token=-"}} {
		synctest.Test(t, func(t *testing.T) {
			stdin, end := io.Pipe()
			defer end.Close()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				synctest.Wait()
				cancel()
			}()
			stdout, stderr, code := runCommand(ctx, gateway.Process{Stdin: stdin}, args...)
			if code != 1 || stdout != "" || stderr != "pixgraph: "+args[0]+": interrupted\n" {
				t.Errorf("%s: %d, %q, %q", args[0], code, stdout, stderr)
			}
		})
	}
}

// TestSchemaIsThatOfGateway: `pixgraph schema` prints what a gateway with the same settings serves.
func TestSchemaIsThatOfGateway(t *testing.T) {
	for _, flag := range []string{"--live=on", "--live=off"} {
		synctest.Test(t, func(t *testing.T) {
			printed, stderr, code := runCommand(t.Context(), gateway.Process{}, "schema", flag)
			served := string(replica.Start(t, gateway.Process{}, flag).Get("/schema.graphql").WantOK().Body)
			if code != 0 || stderr != "" || printed != served || !strings.Contains(printed, "type Query {") {
				t.Errorf("%s: exit code %d, %s; %d bytes are printed, %d served", flag, code, stderr, len(printed), len(served))
			}
		})
	}
}

// TestDoctorOfTheSandbox: the doctor checks a sandbox that it starts. An error of its output is a failure.
func TestDoctorOfTheSandbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := gateway.Process{Sockets: &memnet.Network{}, OpenFiles: 1 << 20}
		stdout, stderr, code := runCommand(t.Context(), p, "doctor", "--sandbox")
		if code != 0 || !strings.Contains(stdout, "18 ok, 0 warnings, 0 failed, 0 skipped\n") {
			t.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
		p.Stdout = closed{}
		if _, stderr, code := runCommand(t.Context(), p, "doctor", "--sandbox"); code != 1 || !strings.Contains(stderr, io.ErrClosedPipe.Error()) {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
}

// closed is a closed output.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
