package gateway

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"pixgraph/gateway/settings"
	"pixgraph/test/gatewaytest"
)

// What the scripts of commands cannot express.

// runCommand runs a command in the process of the test and returns its outputs and its exit code.
func runCommand(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, problems strings.Builder
	code = Run(t.Context(), Process{args: args, stdin: strings.NewReader(""), stdout: &out, stderr: &problems})
	return out.String(), problems.String(), code
}

// TestHelpIsComplete: the help has each setting once.
func TestHelpIsComplete(t *testing.T) {
	var out strings.Builder
	if err := writeHelp(&out); err != nil {
		t.Fatal(err)
	}
	for _, setting := range settings.Table() {
		if n := strings.Count(out.String(), "\n  --"+strings.ReplaceAll(setting.Key, "_", "-")+" "+setting.Type+" "); n != 1 {
			t.Errorf("%s is listed %d times", setting.Key, n)
		}
	}
}

// TestCheckIsBounded: a file that is too large is not read to its end.
func TestCheckIsBounded(t *testing.T) {
	var problems gatewaytest.Log
	endless := &counter{}
	code := Run(t.Context(), Process{args: []string{"check", "-"}, stdin: endless, stdout: io.Discard, stderr: &problems})
	if code != 1 || problems.String() != "<stdin>: is larger than 33554432 bytes\n" || endless.read > 2*maxDocuments {
		t.Errorf("exit code %d after %d bytes: %s", code, endless.read, problems.String())
	}
}

// counter is an input without end.
type counter struct{ read int }

func (c *counter) Read(p []byte) (int, error) {
	c.read += len(p)
	return len(p), nil
}

// TestCheckIsInterrupted: a signal ends a check that waits for its standard input.
func TestCheckIsInterrupted(t *testing.T) {
	stdin, end := io.Pipe()
	defer end.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var stdout, stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, Process{args: []string{"check", "-"}, stdin: stdin, stdout: &stdout, stderr: &stderr})
	}()
	if _, err := io.WriteString(end, "{"); err != nil { // until it is read
		t.Fatal(err)
	}
	cancel()
	select {
	case code := <-ended:
		if code != exitFailed || stdout.Len() > 0 || stderr.String() != "pixgraph: check: interrupted\n" {
			t.Errorf("%d, %q, %q", code, &stdout, &stderr)
		}
	case <-time.After(gatewaytest.Timeout):
		t.Error("the check waits on")
	}
}

// TestSchemaIsThatOfGateway: `pixgraph schema` prints what a gateway with the same settings serves.
func TestSchemaIsThatOfGateway(t *testing.T) {
	for _, flag := range []string{"--live=on", "--live=off"} {
		printed, stderr, code := runCommand(t, "schema", flag)
		served := string(launch(t, flag).Get("/schema.graphql").WantOK().Body)
		if code != 0 || stderr != "" || printed != served || !strings.Contains(printed, "type Query {") {
			t.Errorf("%s: exit code %d, %s; %d bytes are printed, %d served", flag, code, stderr, len(printed), len(served))
		}
	}
}

// TestDoctorCannotPrint: an error of the output is a failure.
func TestDoctorCannotPrint(t *testing.T) {
	var said gatewaytest.Log
	code := Run(t.Context(), Process{args: []string{"doctor", "--sandbox"}, stdin: strings.NewReader(""), stdout: closed{}, stderr: &said})
	if code != exitFailed || !strings.Contains(said.String(), io.ErrClosedPipe.Error()) {
		t.Errorf("exit code %d, output %s", code, said.String())
	}
}

// closed is a closed output.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
