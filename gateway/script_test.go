package gateway

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pixgraph": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			context.AfterFunc(ctx, stop)
			os.Exit(Run(ctx, ThisProcess()))
		},
	})
}

// TestScripts runs the scripts of testdata/script: the commands of the binary, and mistakes in its arguments and
// settings. A script finds the settings of a gateway over a sandbox in sandbox.yaml, and the addresses of listeners in
// PUBLIC and ADMIN.
func TestScripts(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	config := "live_streams: 100\nlive_streams_per_caller: 10\nlimits_connections: 200\n" // for a machine with few open files
	for _, flag := range gatewaytest.Flags(box) {
		key, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		config += strings.ReplaceAll(key, "-", "_") + ": " + value + "\n"
	}
	variables := []string{
		"PUBLIC=" + occupied(t), "ADMIN=" + occupied(t),
		"TOKEN=" + box.Token(), "WITHOUT_SCOPES=" + box.Token(""), "FOREIGN=" + gatewaytest.NewSandbox(t).Token(),
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, variables...)
			return errors.Join(os.WriteFile(filepath.Join(env.WorkDir, "sandbox.yaml"), []byte(config), 0o600),
				os.WriteFile(filepath.Join(env.WorkDir, "token"), []byte(box.Token()+"\n"), 0o600))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"awaits": awaits,
			"fault": func(script *testscript.TestScript, _ bool, args []string) {
				status, err := strconv.Atoi(args[1])
				script.Check(err)
				box.Inject(sandbox.Fault{Service: args[0], Status: status})
			},
			"issuer": func(_ *testscript.TestScript, _ bool, args []string) { box.Issuer().SetDown(args[0] == "down") },
		},
	})
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

// exits runs a command, which must end with the exit code in the first argument. No command prints a token or a
// password.
func exits(script *testscript.TestScript, _ bool, args []string) {
	if code := codeOf(script, args[1:]); code != args[0] {
		script.Fatalf("exit code %s, want %s", code, args[0])
	}
	wantNoSecrets(script)
}

// awaits repeats a command until it ends with the exit code in the first argument.
func awaits(script *testscript.TestScript, _ bool, args []string) {
	for ends := time.Now().Add(gatewaytest.Timeout); codeOf(script, args[1:]) != args[0]; {
		if time.Now().After(ends) {
			script.Fatalf("the exit code never became %s", args[0])
		}
	}
	wantNoSecrets(script)
}

// codeOf runs a command and returns its exit code.
func codeOf(script *testscript.TestScript, command []string) string {
	err := script.Exec(command[0], command[1:]...)
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return strconv.Itoa(exit.ExitCode())
	}
	script.Check(err)
	return "0"
}

func wantNoSecrets(script *testscript.TestScript) {
	for _, secret := range []string{"eyJ", "s3cret", "c4nary"} {
		if strings.Contains(script.ReadFile("stdout")+script.ReadFile("stderr"), secret) {
			script.Fatalf("the output contains %s", secret)
		}
	}
}
