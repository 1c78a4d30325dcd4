package redis

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestServerEndsWithProcess: a server ends when the process that started it is killed.
func TestServerEndsWithProcess(t *testing.T) {
	notShort(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), startsServer+"=1", "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	conn := dial(t, strings.TrimSpace(line))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	closed(t, conn)
}
