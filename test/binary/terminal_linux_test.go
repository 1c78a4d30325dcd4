package binary

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"pixgraph/test/gatewaytest"
)

// terminal is a pseudo-terminal with a process in its foreground.
type terminal struct {
	keyboard *os.File
	screen   *output
	process  *exec.Cmd
}

func openTerminal(t *testing.T, directory, name string, args ...string) *terminal {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	must(err)
	must(unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	must(err)
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	must(err)
	defer tty.Close()
	term := &terminal{keyboard, newOutput(), exec.CommandContext(t.Context(), name, args...)}
	term.process.Dir, term.process.Env = directory, append(withoutSettings(), "TERM=dumb")
	term.process.Stdin, term.process.Stdout, term.process.Stderr = tty, tty, tty
	term.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(term.process.Start())
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(term.screen, keyboard) // fails when the last process of the terminal ends
	}()
	go func() {
		_ = term.process.Wait() // its result is in ProcessState
		<-read
		close(term.screen.ended)
	}()
	t.Cleanup(func() {
		_ = term.process.Process.Kill()
		_ = keyboard.Close()
	})
	return term
}

// await waits until the screen shows a text.
func (term *terminal) await(t *testing.T, text string) {
	t.Helper()
	if err := term.screen.await(text, deadlineOf(t)); err != nil {
		t.Fatal(err)
	}
}

// printed are the commands of the first screen, for a token and a query.
var printed = regexp.MustCompile(`TOKEN=\$\(curl -s (\S+)\)\s+curl -sg "([^"]+)" -H "Authorization: Bearer \$TOKEN"`)

// TestInterrupt: on a terminal the binary logs text, the commands that it prints get a first response, and Ctrl-C ends
// it without an error, also below make.
func TestInterrupt(t *testing.T) {
	directory := t.TempDir()
	makefile, err := filepath.Abs("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(directory, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(directory, "bin", "pixgraph")); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0"}
	tests := []struct {
		name    string
		command []string
		status  string // how the command ends
	}{
		{"the binary", append([]string{binary}, flags...), "exit status 0"},
		{"make run", []string{"make", "--file=" + makefile, "--old-file=build", "run", "ARGS=" + strings.Join(flags, " ")}, "signal: interrupt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.command[0] != binary {
				notShort(t)
			}
			term := openTerminal(t, directory, tt.command[0], tt.command[1:]...)
			term.await(t, "level=INFO msg=serving address=127.0.0.1:")
			term.await(t, "$TOKEN")
			command := printed.FindStringSubmatch(term.screen.String())
			if command == nil {
				t.Fatalf("no commands in %s", term.screen)
			}
			token := strings.TrimSpace(string(gatewaytest.Client{T: t, URL: "http://" + command[1], HTTP: http.DefaultClient}.Get("").Body))
			first := gatewaytest.Client{T: t, URL: "http://" + command[2], Token: token, HTTP: http.DefaultClient}.Get("")
			if string(first.Body) != `{"data":{"deposits":{"totalCount":2000}}}` {
				t.Errorf("the first response is %d %s", first.Status, first.Body)
			}
			if _, err := term.keyboard.WriteString("\x03"); err != nil {
				t.Fatal(err)
			}
			<-term.screen.ended
			// GNU make fails if the signal arrives between the end of its child and make's note of that.
			screen, late, _ := strings.Cut(term.screen.String(), "make: *** wait: No child processes.")
			if status := term.process.ProcessState.String(); status != tt.status && late == "" {
				t.Errorf("ended with %s, want %s", status, tt.status)
			}
			if !strings.Contains(screen, "msg=stopped") || strings.Contains(screen, "rror") || strings.Contains(screen, "***") {
				t.Errorf("the screen shows\n%s", screen)
			}
			for _, text := range []string{`{"time"`, "settings", "2026-"} {
				if strings.Contains(screen, text) {
					t.Errorf("%s is in\n%s", text, screen)
				}
			}
		})
	}
}
