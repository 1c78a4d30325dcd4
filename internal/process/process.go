// Package process runs the gateway's binary over a sandbox, as a process of this machine that sees none of the
// environment's settings, for the tools that load it from outside.
//
// It loads nothing itself and judges nothing. It needs Linux, for /proc.
//
// Read first: Start.
package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"pixgraph/upstream/sandbox"
)

// Gateway is a gateway that runs.
type Gateway struct {
	Address, Admin string // host:port

	cmd     *exec.Cmd
	drained chan struct{} // closed when it says no more
	dir     string        // of the binary that was built
	client  *http.Client  // of the admin address
}

// How long a gateway may take to serve, to answer on its admin address, and to end: far longer than it does on a busy
// machine.
const (
	startTimeout = 2 * time.Minute
	readTimeout  = 2 * time.Minute
	stopTimeout  = 2 * time.Minute
)

// Build makes the gateway's binary in a directory, as a release is made, and returns its path.
func Build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "pixgraph")
	out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "pixgraph").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the gateway: %w: %s", err, out)
	}
	return binary, nil
}

// Start starts a gateway over a sandbox and returns when it serves. The binary is built when none is given. The flags are
// those beyond the addresses, the services and the issuer; what they leave out is as by default. The gateway must be stopped.
func Start(ctx context.Context, binary string, box *sandbox.Sandbox, flags ...string) (_ *Gateway, err error) {
	g := &Gateway{drained: make(chan struct{}), client: &http.Client{Transport: &http.Transport{}, Timeout: readTimeout}}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(g.dir))
		}
	}()
	if binary == "" {
		if g.dir, err = os.MkdirTemp("", "pixgraph-process-"); err != nil {
			return nil, err
		}
		if binary, err = Build(ctx, g.dir); err != nil {
			return nil, err
		}
	}
	g.cmd = exec.CommandContext(ctx, binary, append([]string{
		"--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0",
		"--core-url=" + box.CoreURL(), "--dispatcher-url=" + box.DispatcherURL(),
		"--auth-issuer=" + box.IssuerURL(), "--auth-audience=" + box.Audience(), "--shutdown-delay=0s",
	}, flags...)...)
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PIXGRAPH_") {
			g.cmd.Env = append(g.cmd.Env, pair)
		}
	}
	out, err := g.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	serving := make(chan [2]string, 1)
	said := make(chan string, 1)
	go g.read(out, serving, said)
	select {
	case at, ok := <-serving:
		if !ok {
			return nil, errors.Join(fmt.Errorf("the gateway did not serve; it said %q", <-said), g.cmd.Wait())
		}
		g.Address, g.Admin = at[0], at[1]
		return g, nil
	case <-time.After(startTimeout):
		return nil, errors.Join(errors.New("the gateway does not serve"), g.cmd.Process.Kill(), g.cmd.Wait())
	}
}

// read finds the addresses in what the gateway logs, and throws away what follows. It tells the last line before its end
// where there were none.
func (g *Gateway) read(out io.Reader, serving chan<- [2]string, said chan<- string) {
	defer close(g.drained)
	defer close(serving)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	last := ""
	for lines.Scan() {
		var line struct{ Msg, Address, Admin string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			serving <- [2]string{line.Address, line.Admin}
			_, _ = io.Copy(io.Discard, out)
			return
		}
		last = lines.Text()
	}
	said <- last
}

// Stop has the gateway drain, and fails when it does not end in peace.
func (g *Gateway) Stop() error {
	g.client.CloseIdleConnections()
	err := g.cmd.Process.Signal(syscall.SIGTERM)
	kill := time.AfterFunc(stopTimeout, func() { _ = g.cmd.Process.Kill() })
	defer kill.Stop()
	<-g.drained
	if ended := g.cmd.Wait(); ended != nil {
		err = errors.Join(err, fmt.Errorf("the gateway ended: %w", ended))
	}
	return errors.Join(err, os.RemoveAll(g.dir))
}
