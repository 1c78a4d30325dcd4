package hostile

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pixgraph/test/gatewaytest"
)

// haproxy is a running HAProxy with the configuration in testdata/haproxy.cfg.
type haproxy struct {
	url     string
	control string // the path of its socket for commands
	names   string // of the servers that have no gateway yet
}

// startHAProxy starts HAProxy on a free port. It ends with the test.
func startHAProxy(t *testing.T) *haproxy {
	t.Helper()
	command, err := exec.LookPath("haproxy")
	if err != nil {
		if command, err = exec.LookPath("/usr/sbin/haproxy"); err != nil { // which is not in the path of every user
			t.Fatal("HAProxy is missing: make haproxy")
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	socket, err := listener.(*net.TCPListener).File()
	must(t, err)
	defer socket.Close()
	h := &haproxy{url: "http://" + listener.Addr().String(), control: filepath.Join(t.TempDir(), "control"), names: "abcdef"}
	log := &gatewaytest.Log{}
	process := exec.CommandContext(t.Context(), command, "-db", "-f", "testdata/haproxy.cfg")
	process.Env = append(os.Environ(), "CONTROL="+h.control, "LISTEN=fd@3")
	process.ExtraFiles, process.Stdout, process.Stderr = []*os.File{socket}, log, log
	must(t, process.Start())
	t.Cleanup(func() {
		if _ = process.Wait(); t.Failed() { // the end of the test's context has killed it
			t.Logf("HAProxy: %s", log)
		}
	})
	await(t, "HAProxy did not start", func() bool {
		conn, err := net.Dial("unix", h.control)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return h
}

// run sends a command to HAProxy and returns its response.
func (h *haproxy) run(t *testing.T, command string) string {
	t.Helper()
	conn, err := net.Dial("unix", h.control)
	must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, command+"\n")
	must(t, err)
	response, err := io.ReadAll(conn)
	must(t, err)
	return string(response)
}

// add adds a gateway and returns when HAProxy sends requests to it.
func (h *haproxy) add(t *testing.T, l *launched) (name string) {
	t.Helper()
	name, h.names = h.names[:1], h.names[1:]
	_, port, _ := net.SplitHostPort(l.Address)
	_, admin, _ := net.SplitHostPort(l.Admin)
	h.run(t, fmt.Sprintf("set server gateways/%s addr 127.0.0.1 port %s; set server gateways/%s check-port %s; set server gateways/%s state ready",
		name, port, name, admin, name))
	await(t, "HAProxy does not use the gateway", func() bool { return h.uses(t, name) })
	return name
}

// uses reports whether HAProxy sends requests to a server.
func (h *haproxy) uses(t *testing.T, name string) bool {
	t.Helper()
	const state, running = 5, "2" // see "show servers state" in HAProxy's management guide
	for line := range strings.Lines(h.run(t, "show servers state gateways")) {
		if fields := strings.Fields(line); len(fields) > state && fields[3] == name {
			return fields[state] == running
		}
	}
	return false
}
