package binary

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
)

// TestScripts runs the scripts of testdata/script: the commands of the binary, and mistakes in its arguments and
// settings. A script finds the settings of a gateway over a sandbox in sandbox.yaml, and the addresses of listeners in
// PUBLIC and ADMIN.
func TestScripts(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	config := ""
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
			env.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+env.Getenv("PATH"))
			return errors.Join(os.WriteFile(filepath.Join(env.WorkDir, "sandbox.yaml"), []byte(config), 0o600),
				os.WriteFile(filepath.Join(env.WorkDir, "token"), []byte(box.Token()+"\n"), 0o600))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"gateway": (&background{deadline: deadlineOf(t)}).command,
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
	for _, secret := range []string{"eyJ", "s3cret", "c4nary"} {
		if strings.Contains(script.ReadFile("stdout")+script.ReadFile("stderr"), secret) {
			script.Fatalf("the output contains %s", secret)
		}
	}
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

// background is the gateway of a script that runs while the script continues.
type background struct {
	deadline time.Time
	running  *started
}

// command is `gateway start FLAGS...`, which waits until the gateway serves, `gateway interrupt`, which waits until it
// drains, or `gateway kill`, which waits for its end.
func (b *background) command(script *testscript.TestScript, _ bool, args []string) {
	switch args[0] {
	case "start":
		cmd := exec.Command(binary, args[1:]...)
		cmd.Dir = script.Getenv("WORK")
		cmd.Env = []string{"HOME=" + script.Getenv("HOME")}
		for _, name := range []string{"PIXGRAPH_CONFIG", "PIXGRAPH_LISTEN", "PIXGRAPH_ADMIN_LISTEN"} {
			cmd.Env = append(cmd.Env, name+"="+script.Getenv(name))
		}
		var err error
		b.running, err = startCommand(cmd, b.deadline)
		script.Check(err)
		script.Defer(b.running.kill)
	case "interrupt":
		script.Check(b.running.process.Process.Signal(os.Interrupt))
		script.Check(b.running.log.await(`"msg":"draining"`, b.deadline))
	case "kill":
		b.running.kill()
	}
}
