package redis

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/redistest"
)

// startsServer makes the test's binary a process that starts a server.
const startsServer = "REDISTEST_START"

// tool is the redistest.T of a process that is not a test. A real one runs the cleanups.
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
func failure(t *testing.T, f func(redistest.T)) string {
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
func check(t *testing.T, s *redistest.Server, want string, args ...string) {
	t.Helper()
	if got, err := s.Command(args...); err != nil || got != want {
		t.Errorf("%v: %q, %v; want %q", args, got, err, want)
	}
}

// dial connects until the end of the test.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// ping sends a command.
func ping(t *testing.T, conn net.Conn) {
	t.Helper()
	_, err := fmt.Fprint(conn, "PING\r\n")
	must(t, err)
}

// pong reads the reply.
func pong(t *testing.T, conn net.Conn) {
	t.Helper()
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "+PONG\r\n" {
		t.Fatalf("reply %q, %v", line, err)
	}
}

// closed waits for the end of the connection.
func closed(t *testing.T, conn net.Conn) {
	t.Helper()
	if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Fatalf("read %d bytes, %v", n, err)
	}
}

func TestRestart(t *testing.T) {
	notShort(t)
	s := redistest.Start(t)
	address := s.Address()
	check(t, s, "OK", "SET", "a", "1")
	check(t, s, "OK", "SAVE")
	conn := dial(t, address)
	ping(t, conn)
	pong(t, conn)
	s.Kill()
	closed(t, conn)
	if conn, err := net.Dial("tcp", address); err == nil {
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

// TestStartFails with what the user can do, or with the log of Redis.
func TestStartFails(t *testing.T) {
	if testing.Short() {
		t.Skip("make verify runs it")
	}
	if got := failure(t, func(t redistest.T) { redistest.Start(t, "--maxmemory", "much") }); !strings.Contains(got, `'maxmemory "much"'`) {
		t.Error(got)
	}
	t.Setenv("PATH", t.TempDir())
	if got := failure(t, func(t redistest.T) { redistest.Start(t) }); got != "redis-server is missing: make programs" {
		t.Error(got)
	}
}

// TestPortInUse: a restart waits while the port is in use, also the second port of a cluster's node.
func TestPortInUse(t *testing.T) {
	notShort(t)
	s := redistest.Start(t, "--cluster-enabled", "yes")
	_, text, _ := strings.Cut(s.Address(), ":")
	port, err := strconv.Atoi(text)
	must(t, err)
	for _, offset := range []int{0, 10000} {
		s.Kill()
		other, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+offset))
		must(t, err)
		released := make(chan struct{})
		go func() {
			defer close(released)
			await(t, "a server that cannot listen", func() bool {
				log, _ := os.ReadFile(filepath.Join(filepath.Dir(s.Socket()), "log"))
				return strings.Contains(string(log), "Address already in use")
			})
			_ = other.Close()
		}()
		s.Restart()
		select {
		case <-released:
		default:
			t.Errorf("started on port %d of another listener", port+offset)
		}
	}
}

// TestStartTLS: the server has the certificate of a CA and demands one of the client.
func TestStartTLS(t *testing.T) {
	notShort(t)
	ca := certstest.New(t, "redis")
	server, client := ca.Issue(t, 24*time.Hour), ca.Issue(t, 24*time.Hour, "client")
	dir := t.TempDir()
	files := redistest.TLS{CA: certstest.Write(t, dir, "ca.crt", ca.PEM)}
	files.Cert, files.Key = server.Write(t, dir)
	s := redistest.StartTLS(t, files)
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
	notShort(t)
	var dir string
	t.Run("test", func(t *testing.T) { dir = filepath.Dir(redistest.Start(t).Socket()) })
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
