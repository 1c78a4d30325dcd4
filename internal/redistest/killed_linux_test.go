package redistest

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestServerEndsWithProcess: a server ends when the process that started it is killed.
func TestServerEndsWithProcess(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "REDISTEST_START=1", "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	address := strings.TrimSpace(line)
	conn, noConn := net.DialTimeout("tcp", address, timeout)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err != nil || noConn != nil {
		t.Fatal(line, err, noConn)
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(timeout))
	closed(t, conn)
}
