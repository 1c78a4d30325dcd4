package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pixgraph/gateway/settings"
	launcher "pixgraph/internal/process"
)

// binary builds the binary in a directory of the test and returns its path.
func binary(t *testing.T) string {
	t.Helper()
	path, err := launcher.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func withoutSettings(environ []string) []string {
	return slices.DeleteFunc(environ, func(line string) bool { return strings.HasPrefix(line, settings.Prefix) })
}

// execution is a run of the binary that ends by itself.
type execution struct {
	stdout, stderr string
	code           int
}

func executeBinary(t *testing.T, path string, environ []string, args ...string) execution {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(withoutSettings(os.Environ()), environ...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return execution{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// occupied is an address on which the test listens.
func occupied(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

// TestCommands: what the binary prints for its commands and for mistakes.
func TestCommands(t *testing.T) {
	path := binary(t)
	config := filepath.Join(t.TempDir(), "pixgraph.yaml")
	if err := os.WriteFile(config, []byte("limits: {memroy: 1GiB}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	public, admin := occupied(t), occupied(t)
	inUse := func(setting, flag, address string) string {
		return regexp.QuoteMeta(fmt.Sprintf("%s: %s is in use, maybe by another gateway; set another address, such as --%s=%s\n",
			setting, address, flag, nextPort(address)))
	}
	overview := `(?s)^pixgraph serves .*\n  pixgraph doctor \[flags\] .*\nAddresses:\n  --listen address .*\nLimits:\n.*--limits-memory size .*\(default 192MiB\)`
	version := `^pixgraph \S+ \(revision \S+, ` + regexp.QuoteMeta(runtime.Version()+", "+runtime.GOOS+"/"+runtime.GOARCH) + `\)\n$`
	doctor := `(?s)^pixgraph doctor \[flags\]: .*--token token\|- .*--sandbox `
	tests := []struct {
		name           string
		args, environ  []string
		code           int
		stdout, stderr string // patterns
	}{
		{"help", []string{"help"}, nil, 0, overview, `^$`},
		{"the help flag", []string{"--help"}, nil, 0, overview, `^$`},
		{"the help flag after others", []string{"--listen=:1", "-h"}, nil, 0, overview, `^$`},
		{"help of a command", []string{"help", "doctor"}, nil, 0, doctor, `^$`},
		{"the help flag of a command", []string{"doctor", "--help"}, nil, 0, doctor, `^$`},
		{"help of an unknown command", []string{"help", "docter"}, nil, 2, `^$`, `^pixgraph: unknown command docter \(did you mean doctor\?\)\n$`},
		{"version", []string{"version"}, nil, 0, version, `^$`},
		{"the version flag", []string{"--version"}, nil, 0, version, `^$`},
		{"version with an argument", []string{"version", "now"}, nil, 2, `^$`, `^pixgraph: version: there are no arguments\n$`},
		{"the schema", []string{"schema"}, nil, 0, `(?s)^""".*\ntype Subscription \{\n`, `^$`},
		{"the schema with an argument", []string{"schema", "x"}, nil, 2, `^$`, `^pixgraph: an argument is not a flag; `},
		{"help of check", []string{"help", "check"}, nil, 0, `(?s)^pixgraph check \[flags\] FILE\.\.\.: .*\nexit code is 0 `, `^$`},
		{"check without files", []string{"check", "--limits-cost=7"}, nil, 2, `^$`, `^pixgraph: check: name the files to check, or - for the standard input\n$`},
		{"check with a mistyped flag", []string{"check", "--limits-csot=7", "x"}, nil, 2, `^$`, `--limits-cost\?\)\n$`},
		{"check with a mistyped name", []string{"chek"}, nil, 2, `^$`, `\(did you mean check\?\)\n$`},
		{"a mistyped command", []string{"docter"}, nil, 2, `^$`, `^pixgraph: unknown command docter \(did you mean doctor\?\)\n$`},
		{"a token as command", []string{"eyJhbGciOiJFUzI1NiJ9.eyJ"}, nil, 2, `^$`, `^pixgraph: unknown command, with a name that is not shown\n$`},
		{"an empty argument", []string{""}, nil, 1, `^$`, `^pixgraph: an argument is not a flag; `},
		{"a mistyped flag", []string{"--lisen=:1"}, nil, 1, `^$`, `^pixgraph: unknown flag --lisen \(did you mean --listen\?\)\n$`},
		{"a mistyped variable", nil, []string{"PIXGRAPH_LISEN=:1"}, 1, `^$`,
			`^pixgraph: unknown variable PIXGRAPH_LISEN \(did you mean PIXGRAPH_LISTEN\?\)\n$`},
		{"a mistyped key", []string{"--config", config}, nil, 1, `^$`,
			`^pixgraph: unknown config key limits_memroy \(did you mean limits_memory\?\)\n$`},
		{"an address in use", []string{"--listen=" + public, "--admin-listen=127.0.0.1:0", "--log-level=error"}, nil, 1, `^$`,
			`^pixgraph: ` + inUse("listen", "listen", public) + `$`},
		{"an admin address in use", []string{"--listen=127.0.0.1:0", "--admin-listen=" + admin, "--log-level=error"}, nil, 1, `^$`,
			`^pixgraph: ` + inUse("admin_listen", "admin-listen", admin) + `$`},
		{"both in use", []string{"--listen=" + public, "--admin-listen=" + admin, "--log-level=error"}, nil, 1, `^$`,
			`^pixgraph: ` + inUse("listen", "listen", public) + inUse("admin_listen", "admin-listen", admin) + `$`},
		{"the doctor without APIs", []string{"doctor"}, nil, 2, `^$`, `^pixgraph: core_url and dispatcher_url are not set, .*--sandbox `},
		{"the doctor of the sandbox", []string{
			"doctor", "--sandbox", "--live-streams=100", "--live-streams-per-caller=10", "--limits-connections=200", // few open files
		}, nil, 0, `\n17 ok, 0 warnings, 0 failed, 0 skipped\n$`, `^$`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := executeBinary(t, path, tt.environ, tt.args...)
			if got.code != tt.code || !regexp.MustCompile(tt.stdout).MatchString(got.stdout) || !regexp.MustCompile(tt.stderr).MatchString(got.stderr) {
				t.Errorf("exit code %d, want %d\n%s%s", got.code, tt.code, got.stdout, got.stderr)
			}
		})
	}
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

// TestNextPort: the suggested address has the next port, and a port that the system chooses after the last one.
func TestNextPort(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8081", ":8080": ":8081", "[::1]:9090": "[::1]:9091", "localhost:65535": "localhost:0",
	} {
		if next := nextPort(address); next != want {
			t.Errorf("after %s comes %s, want %s", address, next, want)
		}
	}
}
