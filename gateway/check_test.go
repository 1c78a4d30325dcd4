package gateway

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"pixgraph/test/gatewaytest"
)

// runCommand runs a command in the process of the test and returns its outputs and its exit code.
func runCommand(t *testing.T, stdin string, environ []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, problems strings.Builder
	code = Run(t.Context(), Process{
		args: args, environ: environ, stdin: strings.NewReader(stdin), stdout: &out, stderr: &problems,
		started: func(addresses) { t.Error("a gateway started") },
		after:   func(time.Duration) <-chan time.Time { t.Error("a gateway drained"); return nil },
	})
	return out.String(), problems.String(), code
}

// TestCheck: what `pixgraph check` prints, and its exit code. internal/check has the tests of the documents.
func TestCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"list.graphql": "query List { deposits { nodes { ...Row } } }", "row.graphql": "fragment Row on Deposit { id }",
		"wrong.graphql": "{ nope }", "live.graphql": `subscription { transaction(id: "x") { id } }`,
		"manifest.json": `{"a": "query A { deposits { totalCount } }"}`, "pixgraph.yaml": "limits: {cost: 1}\n",
		"two.graphql": "{ deposits { totalCount } withdrawals { totalCount } }",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("directory", 0o700); err != nil {
		t.Fatal(err)
	}
	const tooExpensive = "two.graphql:1:1: the operation may cause more than 1 upstream calls: request fewer records\n"
	tests := []struct {
		name, stdin    string
		environ, args  []string
		stdout, stderr string
		code           int
	}{
		{"two files", "", nil, []string{"list.graphql", "row.graphql"},
			"query List (list.graphql:1:1): upstream calls: 1\n1 operation accepted, 0 problems\n", "", 0},
		{"a file twice", "", nil, []string{"list.graphql", "row.graphql", "list.graphql", "row.graphql"},
			"query List (list.graphql:1:1): upstream calls: 1\n1 operation accepted, 0 problems\n", "", 0},
		{"the standard input", "{ deposits { totalCount } }", nil, []string{"-"},
			"query (<stdin>:1:1): upstream calls: 1\n1 operation accepted, 0 problems\n", "", 0},
		{"a manifest", "", nil, []string{"manifest.json"}, "query A (manifest.json:1:2): upstream calls: 1\n1 operation accepted, 0 problems\n", "", 0},
		{"a problem", "", nil, []string{"wrong.graphql"}, "0 operations accepted, 1 problem\n",
			"wrong.graphql:1:3: Cannot query field \"nope\" on type \"Query\".\n", 1},
		{"no file", "", nil, []string{"none.graphql"}, "0 operations accepted, 1 problem\n", "none.graphql: no such file or directory\n", 1},
		{"a directory", "", nil, []string{"directory"}, "0 operations accepted, 1 problem\n", "directory: is a directory; name its files\n", 1},
		{"the limit of the cost, in a flag", "", nil, []string{"--limits-cost", "1", "two.graphql"}, "0 operations accepted, 1 problem\n", tooExpensive, 1},
		{"in the environment", "", []string{"PIXGRAPH_LIMITS_COST=1"}, []string{"two.graphql"}, "0 operations accepted, 1 problem\n", tooExpensive, 1},
		{"in a file", "", nil, []string{"--config=pixgraph.yaml", "two.graphql"}, "0 operations accepted, 1 problem\n", tooExpensive, 1},
		{"a subscription", "", nil, []string{"live.graphql"},
			"subscription (live.graphql:1:1): upstream calls: 1\n1 operation accepted, 0 problems\n", "", 0},
		{"a subscription of a gateway without live", "", nil, []string{"--live=off", "live.graphql"}, "0 operations accepted, 1 problem\n",
			"live.graphql:1:1: Schema does not support operation type \"subscription\"\n", 1},
		{"a file that looks like a flag", "", nil, []string{"--", "--x"}, "0 operations accepted, 1 problem\n", "--x: no such file or directory\n", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := runCommand(t, tt.stdin, tt.environ, append([]string{"check"}, tt.args...)...)
			if code != tt.code || stdout != tt.stdout || stderr != tt.stderr {
				t.Errorf("exit code %d, want %d\n%s%s\nwant\n%s%s", code, tt.code, stdout, stderr, tt.stdout, tt.stderr)
			}
		})
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
		printed, stderr, code := runCommand(t, "", nil, "schema", flag)
		served := string(launch(t, flag).Get("/schema.graphql").WantOK().Body)
		if code != 0 || stderr != "" || printed != served || !strings.Contains(printed, "type Query {") {
			t.Errorf("%s: exit code %d, %s; %d bytes are printed, %d served", flag, code, stderr, len(printed), len(served))
		}
	}
}
