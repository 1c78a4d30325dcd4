package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
)

// diagnosed is the output of `pixgraph doctor` and its exit code.
type diagnosed struct {
	stdout, stderr gatewaytest.Log
	code           int
}

func doctorOf(t *testing.T, stdin string, environ []string, args ...string) *diagnosed {
	t.Helper()
	d := &diagnosed{}
	d.code = diagnose(t.Context(), Process{
		args: args, environ: environ, stdin: strings.NewReader(stdin), stdout: &d.stdout, stderr: &d.stderr, openFiles: 1 << 20,
		started: func(addresses) { t.Error("a gateway started") },
		after:   func(time.Duration) <-chan time.Time { t.Error("a gateway drained"); return nil },
	})
	return d
}

// TestDoctorOfSandbox: the doctor checks the sandbox only if its flag says so, and all checks pass.
func TestDoctorOfSandbox(t *testing.T) {
	if d := doctorOf(t, "", nil); d.code != 2 || !strings.Contains(d.stderr.String(), "core_url and dispatcher_url are not set") || d.stdout.String() != "" {
		t.Errorf("exit code %d:\n%s%s", d.code, d.stdout.String(), d.stderr.String())
	}
	if d := doctorOf(t, "", nil, gatewaytest.Flags(gatewaytest.NewSandbox(t), "--sandbox")...); d.code != 2 || d.stdout.String() != "" {
		t.Errorf("exit code %d:\n%s%s", d.code, d.stdout.String(), d.stderr.String())
	}
	d := doctorOf(t, "", nil, "--sandbox")
	out := d.stdout.String()
	if d.code != 0 || d.stderr.String() != "" || !strings.Contains(out, "17 ok, 0 warnings, 0 failed, 0 skipped") {
		t.Errorf("exit code %d:\n%s%s", d.code, out, d.stderr.String())
	}
	if strings.Contains(out, "eyJ") || strings.Contains(out, issuer.DefaultSubject) {
		t.Errorf("the output contains a token:\n%s", out)
	}
}

// TestDoctorToken: a token comes from a flag, the environment or the standard input, and is never printed.
func TestDoctorToken(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
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
		{"the environment, in lower case", "", []string{"PIXGRAPH_token=" + token}, nil, 0, "scopes: get_dispatcher"},
		{"a switch with a value", "", nil, []string{"--json=" + token}, 2, "json: the flag has no value"},
		{"two tokens", "", nil, []string{"--token=" + token, "--token=" + token}, 2, "token: is in the flags twice"},
		{"a flag over the environment", "", []string{"PIXGRAPH_TOKEN=" + token}, []string{"--token=" + box.Token("")}, 0, "no scopes"},
		{"the standard input", token + "\n", nil, []string{"--token=-"}, 0, "scopes: get_dispatcher"},
		{"the standard input, chosen in the environment", token + "\n", []string{"PIXGRAPH_TOKEN=-"}, nil, 0, "scopes: get_dispatcher"},
		{"an empty standard input", "\n", nil, []string{"--token", "-"}, 2, "token: the standard input is empty"},
		{"a flag without value", "", nil, []string{"--token"}, 2, "token: a value must follow"},
		{"an argument that is not a flag", "", nil, []string{token}, 2, "flags are --name=value"},
		{"a mistyped flag", "", nil, []string{"--tokn", token}, 2, "unknown flag --tokn (did you mean --token?)"},
		{"a token as flag", "", nil, []string{"--" + token}, 2, "unknown flag, with a name that is not shown"},
		{"a token as variable", "", []string{"PIXGRAPH_" + token + "=1"}, nil, 2, "unknown variable, with a name that is not shown"},
		{"a token as algorithm", "", nil, []string{"--auth-algorithms=" + token}, 2, "auth_algorithms has an unknown value"},
		{"a token as issuer", "", nil, []string{"--auth-issuer=" + token}, 2, "auth_issuer"},
		{"a token as file", "", nil, []string{"--config=" + token}, 2, "config: the file cannot be read"},
		{"no token", "", nil, nil, 0, "no token was given"},
		{"an invalid token", "", nil, []string{"--token=" + token + "c4nary"}, 1, "FAIL  token"},
		{"a token of another issuer", "", nil, []string{"--token=" + gatewaytest.NewSandbox(t).Token()}, 1, "FAIL  token"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := doctorOf(t, tt.stdin, tt.environ, gatewaytest.Flags(box, tt.args...)...)
			printed := d.stdout.String() + d.stderr.String()
			if d.code != tt.code || !strings.Contains(printed, tt.says) {
				t.Errorf("exit code %d, want %d and output that contains %q:\n%s", d.code, tt.code, tt.says, printed)
			}
			for _, part := range append(strings.Split(token, "."), "c4nary", "eyJ") {
				if strings.Contains(printed, part) {
					t.Errorf("the output contains part of a token:\n%s", printed)
				}
			}
		})
	}
}

// TestDoctorExitCodes: 1 for a failed check, 2 for invalid settings.
func TestDoctorExitCodes(t *testing.T) {
	tests := []struct {
		name   string
		inject func(*sandbox.Sandbox)
		args   []string
		code   int
		says   string
	}{
		{"no problem", func(*sandbox.Sandbox) {}, nil, 0, "0 failed"},
		{"core fails", func(box *sandbox.Sandbox) { box.Inject(sandbox.Fault{Service: sandbox.Core, Status: 500}) }, nil, 1, "FAIL  service core"},
		{"the issuer is down", func(box *sandbox.Sandbox) { box.Issuer().SetDown(true) }, nil, 1, "FAIL  issuer"},
		{"an unknown setting", func(*sandbox.Sandbox) {}, []string{"--upstream-timeuot=1s"}, 2, "unknown flag --upstream-timeuot (did you mean --upstream-timeout?)"},
		{"an unknown algorithm", func(*sandbox.Sandbox) {}, []string{"--auth-algorithms=HS256"}, 2, "auth_algorithms"},
		{"not a flag", func(*sandbox.Sandbox) {}, []string{"now"}, 2, "flags are --name=value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			box := gatewaytest.NewSandbox(t)
			tt.inject(box)
			d := doctorOf(t, "", nil, gatewaytest.Flags(box, tt.args...)...)
			if printed := d.stdout.String() + d.stderr.String(); d.code != tt.code || !strings.Contains(printed, tt.says) {
				t.Errorf("exit code %d, want %d and output that contains %q:\n%s", d.code, tt.code, tt.says, printed)
			}
			if tt.code == 2 && d.stdout.String() != "" {
				t.Errorf("unexpected standard output: %s", d.stdout.String())
			}
		})
	}
}

// TestDoctorJSON: with --json the output is a JSON document.
func TestDoctorJSON(t *testing.T) {
	d := doctorOf(t, "", nil, "--json", "--sandbox")
	var report struct {
		Passed bool
		Checks []struct{ Check, Result string }
	}
	if err := json.Unmarshal([]byte(d.stdout.String()), &report); err != nil {
		t.Fatalf("%v: %s", err, d.stdout.String())
	}
	if !report.Passed || len(report.Checks) != 17 || d.code != 0 {
		t.Errorf("exit code %d: %+v", d.code, report)
	}
}

// TestDoctorCannotPrint: an error of the output is a failure.
func TestDoctorCannotPrint(t *testing.T) {
	var said gatewaytest.Log
	code := diagnose(t.Context(), Process{args: []string{"--sandbox"}, stdin: strings.NewReader(""), stdout: closed{}, stderr: &said})
	if code != 1 || !strings.Contains(said.String(), io.ErrClosedPipe.Error()) {
		t.Errorf("exit code %d, output %s", code, fmt.Sprint(said.String()))
	}
}

// closed is a closed output.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
