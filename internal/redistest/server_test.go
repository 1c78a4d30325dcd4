package redistest

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/leaktest"
)

// TestMain lets the test's binary be the process that TestServerEndsWithProcess kills.
func TestMain(m *testing.M) {
	if os.Getenv("REDISTEST_START") != "" {
		fmt.Println(Start(tool{}).Address())
		select {}
	}
	leaktest.Main(m)
}

// tool is the T of a process that is not a test. A real one runs the cleanups.
type tool struct{}

func (tool) Helper()                           {}
func (tool) Cleanup(func())                    {}
func (tool) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// recorder records the message of Fatalf.
type recorder struct {
	testing.TB
	message string
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failure returns the message with which a function fails.
func failure(t *testing.T, f func(T)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r.message
}

// check compares the reply to a command.
func check(t *testing.T, s *Server, want string, args ...string) {
	t.Helper()
	if got, err := s.Command(args...); err != nil || got != want {
		t.Errorf("%v: %q, %v; want %q", args, got, err, want)
	}
}

// dial connects until the end of the test.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, timeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// ping sends a command.
func ping(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := fmt.Fprint(conn, "PING\r\n"); err != nil {
		t.Fatal(err)
	}
}

// pong reads the reply.
func pong(t *testing.T, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(timeout))
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "+PONG\r\n" {
		t.Fatalf("reply %q, %v", line, err)
	}
}

// silent fails if there is a reply. A busy machine only makes that less likely.
func silent(t *testing.T, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := conn.Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("read %d bytes, %v", n, err)
	}
}

// closed fails if the connection stays open.
func closed(t *testing.T, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(timeout))
	if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("read %d bytes, %v", n, err)
	}
}

func TestCommand(t *testing.T) {
	s := Start(t, "--requirepass", "secret")
	for _, tt := range []struct{ want, command string }{
		{"OK", "SET a 1 EX 1000"}, {"1", "GET a"}, {"", "GET b"}, {"a", "KEYS *"}, {"string", "TYPE a"},
		{"maxmemory\n0", "CONFIG GET maxmemory"}, {"OK", "CONFIG SET maxmemory 10mb"}, {"maxmemory\n10485760", "CONFIG GET maxmemory"},
		{"OK", "ACL SETUSER default off"}, {"OK", "DEBUG SLEEP 0"}, {"0", "PUBLISH channel text"}, {"OK", "REPLICAOF NO ONE"},
		{"OK", "CLIENT PAUSE 0"}, {"1", "LPUSH l x"}, {"x", "LRANGE l 0 -1"},
	} {
		check(t, s, tt.want, strings.Fields(tt.command)...)
	}
	if _, err := s.Command("LPUSH", "a", "x"); err == nil || !strings.HasPrefix(err.Error(), "WRONGTYPE ") {
		t.Error(err)
	}
	if bytes, err := s.Command("MEMORY", "USAGE", "a"); err != nil || bytes == "0" || bytes == "" {
		t.Errorf("memory %q, %v", bytes, err)
	}
	if ttl, err := s.Command("TTL", "a"); err != nil || len(ttl) != len("999") && ttl != "1000" {
		t.Errorf("ttl %q, %v", ttl, err)
	}
}

func TestRestart(t *testing.T) {
	s := Start(t)
	address := s.Address()
	check(t, s, "OK", "SET", "a", "1")
	check(t, s, "OK", "SAVE")
	conn := dial(t, address)
	ping(t, conn)
	pong(t, conn)
	s.Kill()
	closed(t, conn)
	if conn, err := net.DialTimeout("tcp", address, timeout); err == nil {
		_ = conn.Close()
		t.Error("a killed server accepts connections")
	}
	s.Restart("--maxmemory", "10mb")
	check(t, s, "", "KEYS", "*")
	check(t, s, "maxmemory\n10485760", "CONFIG", "GET", "maxmemory")
	s.Restart()
	check(t, s, "maxmemory\n0", "CONFIG", "GET", "maxmemory")
	if s.Address() != address {
		t.Errorf("address %s after a restart, %s before", s.Address(), address)
	}
}

func TestPause(t *testing.T) {
	s := Start(t)
	s.Pause()
	conn := dial(t, s.Address())
	ping(t, conn)
	silent(t, conn)
	s.Resume()
	pong(t, conn)
	s.Pause() // a paused process ends with the test, too
}

// TestStartFails with what the user can do, or with the log of Redis.
func TestStartFails(t *testing.T) {
	if got := failure(t, func(t T) { Start(t, "--maxmemory", "much") }); !strings.Contains(got, `'maxmemory "much"'`) {
		t.Error(got)
	}
	t.Setenv("PATH", t.TempDir())
	if got := failure(t, func(t T) { Start(t) }); got != "redis-server is missing: make redis" {
		t.Error(got)
	}
}

// TestPortInUse: a port that is in use is worth another attempt, also the second port of a cluster's node.
func TestPortInUse(t *testing.T) {
	s := Start(t, "--cluster-enabled", "yes")
	for _, offset := range []int{0, 10000} {
		s.Kill()
		other, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", s.port+offset))
		if err != nil {
			t.Fatal(err)
		}
		attempts := 0
		s.retry(portInUse, func() error {
			err := s.run(nil)
			if attempts++; attempts == 1 {
				if err == nil {
					t.Errorf("started on port %d of another listener", s.port+offset)
				}
				_ = other.Close()
			}
			return err
		})
		if attempts < 2 {
			t.Errorf("%d attempts", attempts)
		}
	}
}

// TestStartTLS: the server has the certificate of a CA and demands one of the client.
func TestStartTLS(t *testing.T) {
	ca := certstest.New(t, "redis")
	server, client := ca.Issue(t, 24*time.Hour), ca.Issue(t, 24*time.Hour, "client")
	dir := t.TempDir()
	files := TLS{CA: certstest.Write(t, dir, "ca.crt", ca.PEM)}
	files.Cert, files.Key = server.Write(t, dir)
	s := StartTLS(t, files)
	check(t, s, "PONG", "PING")
	config := &tls.Config{RootCAs: ca.Pool(), ServerName: "localhost", Certificates: []tls.Certificate{client.TLS(t)}}
	conn := tls.Client(dial(t, s.Address()), config)
	ping(t, conn)
	pong(t, conn)
	config = config.Clone()
	config.Certificates = nil
	conn = tls.Client(dial(t, s.Address()), config)
	_ = conn.Handshake() // in TLS 1.3 the client learns of the refusal when it reads
	closed(t, conn)
	s.Restart("--tls-auth-clients", "no")
	conn = tls.Client(dial(t, s.Address()), config)
	ping(t, conn)
	pong(t, conn)
}

// TestFilesAreRemoved at the end of the test.
func TestFilesAreRemoved(t *testing.T) {
	var dir string
	t.Run("test", func(t *testing.T) { dir = filepath.Dir(Start(t).Socket()) })
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
