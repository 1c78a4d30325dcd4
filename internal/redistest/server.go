// Package redistest starts real servers of Redis for tests and for the load tool: one server, a cluster, or a sentinel
// with a master and a replica, without persistence and on free ports of 127.0.0.1. Its Proxy stands between a client
// and a server, and imitates a network that is slow or cut.
//
// It is not a client of Redis: Server.Command is for the administration of a server by tests. It needs redis-server 7.0
// or later in PATH, which `make programs` installs. That of Valkey under this name does as well.
//
// It is for tests and tools only. Read first: Start.
package redistest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

// T is what this package uses of testing.TB, so that a tool can implement it. Fatalf must not return.
type T interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

const (
	// timeout bounds the time until a server answers, a cluster is complete, and so on. Usually it is below 3 seconds.
	timeout = 2 * time.Minute
	// pause is the time between two attempts.
	pause = 5 * time.Millisecond

	// Ports are chosen at random from firstPort, below those that Linux and macOS give to clients. So no client takes
	// the port of a server between Kill and Restart. The range ends where the second ports of cluster nodes begin,
	// which are 10000 higher.
	firstPort, ports = 12000, 10000

	// admin is the user of Command. It has all rights and no password, so a test can change or lock the default user.
	admin, rights = "redistest", "on nopass ~* &* +@all"
)

// Server is a process of redis-server. Its methods are for one goroutine at a time, except Address, Socket and Command.
type Server struct {
	t       T
	dir     string
	port    int
	args    func(port int) []string // of redis-server
	process *os.Process
	exited  chan struct{} // closed when the process has ended
}

// Version returns the name and the version of the server, such as "Redis 7.0.15" or "Valkey 8.0.1".
func Version(t T) string {
	t.Helper()
	out, err := exec.CommandContext(context.Background(), "redis-server", "--version").Output()
	words := strings.Fields(string(out)) // Redis server v=7.0.15 sha=…
	if err != nil || len(words) < 3 {
		t.Fatalf("%v: %s", err, out)
	}
	return words[0] + " " + strings.TrimPrefix(words[2], "v=")
}

// Start starts a server with arguments of redis-server, such as "--maxmemory", "10mb", and returns when it answers. The
// server ends with the test. The arguments must not include --aclfile, because the server has a user for Command, and
// Redis does not combine users in arguments with such a file.
func Start(t T, args ...string) *Server {
	t.Helper()
	return start(t, func(port int) []string {
		return slices.Concat([]string{"--port", strconv.Itoa(port), "--user", admin}, strings.Fields(rights), args)
	})
}

// TLS has the paths of the server's certificate, of its key, and of the CA that signs the certificates of clients.
type TLS struct{ Cert, Key, CA string }

// StartTLS starts a server that has only TLS on its port; its unix socket is without TLS. Clients need a certificate,
// unless the arguments include "--tls-auth-clients", "no".
func StartTLS(t T, files TLS, args ...string) *Server {
	t.Helper()
	return start(t, func(port int) []string {
		return slices.Concat([]string{
			"--port", "0", "--tls-port", strconv.Itoa(port),
			"--tls-cert-file", files.Cert, "--tls-key-file", files.Key, "--tls-ca-cert-file", files.CA, "--user", admin,
		}, strings.Fields(rights), args)
	})
}

func start(t T, args func(port int) []string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "redistest") // t.TempDir can be too long for the path of a unix socket
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := &Server{t: t, dir: dir, args: args}
	t.Cleanup(func() {
		s.Kill()
		_ = os.RemoveAll(dir)
	})
	s.retry(portInUse, func() error {
		s.port = firstPort + rand.IntN(ports)
		return s.run()
	})
	return s
}

const portInUse = "Address already in use"

// retry calls a function until it succeeds. Only an error that has the text of a passing one is worth another attempt.
func (s *Server) retry(passing string, run func() error) {
	s.t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(pause) {
		err := run()
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), passing) || time.Now().After(deadline) {
			s.t.Fatalf("%v", err)
		}
	}
}

// run starts the process and waits until it answers. Its error includes the log.
func (s *Server) run() error {
	_ = os.Remove(filepath.Join(s.dir, "dump.rdb")) // of SAVE, or of a master
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.CommandContext(context.Background(), "redis-server", slices.Concat(s.args(s.port), []string{
		"--bind", "127.0.0.1", "--unixsocket", s.Socket(), "--save", "", "--appendonly", "no", "--enable-debug-command", "local",
		"--repl-diskless-sync-delay", "0", // 5 seconds without
	})...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = s.dir, log, log, killedWithThread()
	started, exited := make(chan error), make(chan struct{})
	go func() {
		// Linux kills the process when the thread that started it ends (PR_SET_PDEATHSIG), so also when this process
		// is killed. But a thread of Go ends earlier if a goroutine locks it and returns. So this goroutine keeps the
		// thread for itself until the process has ended. A pipe on standard input would not do: redis-server reads it
		// only when it starts.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(exited)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; errors.Is(err, exec.ErrNotFound) {
		return errors.New("redis-server is missing: make programs")
	} else if err != nil {
		return err
	}
	s.process, s.exited = cmd.Process, exited
	// Redis opens the unix socket after its ports, so its answer also means that these are open.
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); {
		if pong, _ := s.Command("PING"); pong == "PONG" {
			return nil
		}
		select {
		case <-exited:
			deadline = time.Time{}
		case <-time.After(pause):
		}
	}
	s.Kill()
	text, err := os.ReadFile(log.Name())
	return errors.Join(fmt.Errorf("redis-server does not answer: %s", text), err)
}

// Address returns the host and the port.
func (s *Server) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// Socket returns the path of the unix socket.
func (s *Server) Socket() string { return filepath.Join(s.dir, "redis.sock") }

// Command sends a command to the unix socket and returns the reply as text: an array has a line for each element, also
// of arrays within it, and no value is "". An error of Redis begins with its code, such as WRONGTYPE.
func (s *Server) Command(args ...string) (string, error) {
	conn, err := redis.Dial("unix", s.Socket(), redis.DialReadTimeout(timeout), redis.DialUsername(admin), redis.DialPassword("none"))
	if err != nil {
		return "", err
	}
	defer conn.Close()
	reply, err := conn.Do(args[0], redis.Args{}.AddFlat(args[1:])...)
	return text(reply), err
}

func text(reply any) string {
	switch reply := reply.(type) {
	case nil:
		return ""
	case []byte:
		return string(reply)
	case []any:
		lines := make([]string, len(reply))
		for i, element := range reply {
			lines[i] = text(element)
		}
		return strings.Join(lines, "\n")
	default:
		return fmt.Sprint(reply)
	}
}

// Kill kills the process, also a paused one, and waits for its end.
func (s *Server) Kill() {
	if s.process != nil {
		_ = s.process.Kill() // fails if the process has ended
		<-s.exited
	}
}

// Restart kills the process and starts it without data, on the same port.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	s.retry(portInUse, s.run)
}

// Pause stops the process: the kernel still accepts connections and bytes for it, but it does not answer.
func (s *Server) Pause() { s.t.Helper(); s.signal("STOP") }

// Resume lets a paused process continue.
func (s *Server) Resume() { s.t.Helper(); s.signal("CONT") }

// signal uses the shell, because Go lacks these signals on Windows, where this package must compile.
func (s *Server) signal(name string) {
	s.t.Helper()
	kill := "kill -" + name + " " + strconv.Itoa(s.process.Pid)
	if out, err := exec.CommandContext(context.Background(), "sh", "-c", kill).CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v: %s", kill, err, out)
	}
}

// must returns the reply to a command that Redis has to accept.
func (s *Server) must(args ...string) string {
	s.t.Helper()
	text, err := s.Command(args...)
	if err != nil {
		s.t.Fatalf("%v: %v", args, err)
	}
	return text
}

// await repeats a command until the reply contains a text.
func (s *Server) await(want string, args ...string) {
	s.t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(pause) {
		text, err := s.Command(args...)
		if err == nil && strings.Contains(text, want) {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%v: %v: no %s in %s", args, err, want, text)
		}
	}
}
