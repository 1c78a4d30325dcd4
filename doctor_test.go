package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
)

// diagnosed is what `pixgraph doctor` printed, and its exit code.
type diagnosed struct {
	stdout, stderr output
	code           int
}

func doctorOf(t *testing.T, stdin string, environ []string, args ...string) *diagnosed {
	t.Helper()
	d := &diagnosed{}
	d.code = diagnose(t.Context(), process{
		args: args, environ: environ, stdin: strings.NewReader(stdin), stdout: &d.stdout, stderr: &d.stderr,
		started: func(addresses) { t.Error("a gateway was served") },
		after:   func(time.Duration) <-chan time.Time { t.Error("it drained"); return nil },
	})
	return d
}

// TestDoctorOfSandbox: without settings the sandbox is looked into, and is well.
func TestDoctorOfSandbox(t *testing.T) {
	d := doctorOf(t, "", nil)
	out := d.stdout.String()
	if d.code != 0 || d.stderr.String() != "" || !strings.Contains(out, "10 ok, 0 warnings, 0 failed, 0 skipped") {
		t.Errorf("exit code %d:\n%s%s", d.code, out, d.stderr.String())
	}
	if strings.Contains(out, "eyJ") || strings.Contains(out, issuer.DefaultSubject) {
		t.Errorf("it shows a token:\n%s", out)
	}
}

// TestDoctorToken: a token comes by a flag, the environment or the standard input, and shows nowhere.
func TestDoctorToken(t *testing.T) {
	box := newSandbox(t)
	token := box.Token()
	tests := []struct {
		name    string
		stdin   string
		environ []string
		args    []string
		code    int
		says    string
	}{
		{"a flag", "", nil, []string{"--token=" + token}, 0, "scopes: get_dispatcher"},
		{"a flag and its value", "", nil, []string{"-token", token}, 0, "scopes: get_dispatcher"},
		{"the environment", "", []string{"PIXGRAPH_TOKEN=" + token}, nil, 0, "scopes: get_dispatcher"},
		{"a flag over the environment", "", []string{"PIXGRAPH_TOKEN=" + token}, []string{"--token=" + box.Token("")}, 0, "no scopes"},
		{"the standard input", token + "\n", nil, []string{"--token=-"}, 0, "scopes: get_dispatcher"},
		{"the standard input, by the environment", token + "\n", []string{"PIXGRAPH_TOKEN=-"}, nil, 0, "scopes: get_dispatcher"},
		{"an empty standard input", "\n", nil, []string{"--token", "-"}, 2, "token: the standard input is empty"},
		{"a flag without value", "", nil, []string{"--token"}, 2, "token: a value must follow"},
		{"an argument that is not a flag", "", nil, []string{token}, 2, "flags are --key=value"},
		{"a mistyped flag", "", nil, []string{"--tokn", token}, 2, "tokn: there is no setting"},
		{"a token for a flag", "", nil, []string{"--" + token}, 2, "a value must follow"},
		{"a token for a variable", "", []string{"PIXGRAPH_" + token + "=1"}, nil, 2, "there is no setting"},
		{"a token for an algorithm", "", nil, []string{"--auth-algorithms=" + token}, 2, "auth_algorithms has an unknown value"},
		{"a token for an issuer", "", nil, []string{"--auth-issuer=" + token}, 2, "auth_issuer"},
		{"a token for a file", "", nil, []string{"--config=" + token}, 2, "config: the file cannot be read"},
		{"none", "", nil, nil, 0, "none was given"},
		{"one that is broken", "", nil, []string{"--token=" + token + "c4nary"}, 1, "FAIL  token"},
		{"one of another issuer", "", nil, []string{"--token=" + newSandbox(t).Token()}, 1, "FAIL  token"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := doctorOf(t, tt.stdin, tt.environ, append(overSandbox(box), tt.args...)...)
			printed := d.stdout.String() + d.stderr.String()
			if d.code != tt.code || !strings.Contains(printed, tt.says) {
				t.Errorf("exit code %d, want %d, and one that says %q:\n%s", d.code, tt.code, tt.says, printed)
			}
			for _, part := range append(strings.Split(token, "."), "c4nary", "eyJ") {
				if strings.Contains(printed, part) {
					t.Errorf("a part of a token is in\n%s", printed)
				}
			}
		})
	}
}

// TestDoctorExitCodes: 1 for what is amiss behind the settings, 2 for the settings themselves.
func TestDoctorExitCodes(t *testing.T) {
	tests := []struct {
		name string
		ail  func(*sandbox.Sandbox)
		args []string
		code int
		says string
	}{
		{"well", func(*sandbox.Sandbox) {}, nil, 0, "0 failed"},
		{"core fails", func(box *sandbox.Sandbox) { box.Inject(sandbox.Fault{Service: sandbox.Core, Status: 500}) }, nil, 1, "FAIL  service core"},
		{"the issuer is down", func(box *sandbox.Sandbox) { box.Issuer().SetDown(true) }, nil, 1, "FAIL  issuer"},
		{"an unknown setting", func(*sandbox.Sandbox) {}, []string{"--upstream-timeuot=1s"}, 2, "upstream_timeuot: there is no setting"},
		{"an unknown algorithm", func(*sandbox.Sandbox) {}, []string{"--auth-algorithms=HS256"}, 2, "auth_algorithms"},
		{"no flag", func(*sandbox.Sandbox) {}, []string{"now"}, 2, "flags are --key=value"},
		{"help", func(*sandbox.Sandbox) {}, []string{"--help"}, 0, "--token "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			box := newSandbox(t)
			tt.ail(box)
			d := doctorOf(t, "", nil, append(overSandbox(box), tt.args...)...)
			if printed := d.stdout.String() + d.stderr.String(); d.code != tt.code || !strings.Contains(printed, tt.says) {
				t.Errorf("exit code %d, want %d, and one that says %q:\n%s", d.code, tt.code, tt.says, printed)
			}
			if tt.code == 2 && d.stdout.String() != "" {
				t.Errorf("the standard output has %s", d.stdout.String())
			}
		})
	}
}

// TestDoctorJSON prints for machines, and nothing else.
func TestDoctorJSON(t *testing.T) {
	d := doctorOf(t, "", nil, "--json")
	var report struct {
		Passed bool
		Checks []struct{ Check, Result string }
	}
	if err := json.Unmarshal([]byte(d.stdout.String()), &report); err != nil {
		t.Fatalf("%v: %s", err, d.stdout.String())
	}
	if !report.Passed || len(report.Checks) != 10 || d.code != 0 {
		t.Errorf("exit code %d: %+v", d.code, report)
	}
}

// TestDoctorCannotPrint is no success.
func TestDoctorCannotPrint(t *testing.T) {
	var said output
	code := diagnose(t.Context(), process{stdin: strings.NewReader(""), stdout: closed{}, stderr: &said})
	if code != 1 || !strings.Contains(said.String(), io.ErrClosedPipe.Error()) {
		t.Errorf("exit code %d, and it said %s", code, fmt.Sprint(said.String()))
	}
}

// closed is an output that takes nothing.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
