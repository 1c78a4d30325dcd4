package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"pixgraph/upstream/sandbox"
)

// gateway is the process that soaks.
type gateway struct {
	cmd            *exec.Cmd
	address, admin string
	drained        chan struct{} // closed when it says no more
	dir            string        // of the binary that was built
}

// concurrency is how many calls to an API may be under way, and so how many connections to it may be kept.
const concurrency = 32

const (
	startTimeout = 30 * time.Second
	stopTimeout  = 30 * time.Second
)

// startGateway starts a gateway over the sandbox. It waits less for the APIs than by default, so that what hangs does not
// stand in the way of a cycle, and leaves an API that fails alone for a moment only, so that most faults are met.
func startGateway(ctx context.Context, binary string, box *sandbox.Sandbox) (_ *gateway, err error) {
	g := &gateway{drained: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(g.dir))
		}
	}()
	if binary == "" {
		if g.dir, err = os.MkdirTemp("", "pixgraph-soak-"); err != nil {
			return nil, err
		}
		binary = filepath.Join(g.dir, "pixgraph")
		if out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "pixgraph").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build the gateway: %w: %s", err, out)
		}
	}
	g.cmd = exec.CommandContext(ctx, binary,
		"--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0",
		"--core-url="+box.CoreURL(), "--dispatcher-url="+box.DispatcherURL(),
		"--auth-issuer="+box.IssuerURL(), "--auth-audience="+box.Audience(),
		"--paging-page-param=page", "--paging-per-page-param=perPage", "--links-metadata-pointer=/notificationIds",
		fmt.Sprintf("--upstream-concurrency=%d", concurrency), "--upstream-timeout=1s", "--operation-timeout=3s", "--upstream-breaker-wait=300ms", "--shutdown-delay=0s", "--profiling=on",
	)
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
	go g.read(out, serving)
	select {
	case at, ok := <-serving:
		if !ok {
			return nil, errors.Join(errors.New("the gateway did not serve"), g.cmd.Wait())
		}
		g.address, g.admin = at[0], at[1]
		return g, nil
	case <-time.After(startTimeout):
		return nil, errors.Join(errors.New("the gateway does not serve"), g.cmd.Process.Kill(), g.cmd.Wait())
	}
}

// read finds the addresses in what the gateway logs, and throws away what follows.
func (g *gateway) read(out io.Reader, serving chan<- [2]string) {
	defer close(g.drained)
	defer close(serving)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ Msg, Address, Admin string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			serving <- [2]string{line.Address, line.Admin}
			break
		}
	}
	_, _ = io.Copy(io.Discard, out)
}

// stop has the gateway drain, and fails when it does not end in peace.
func (g *gateway) stop() error {
	err := g.cmd.Process.Signal(syscall.SIGTERM)
	kill := time.AfterFunc(stopTimeout, func() { _ = g.cmd.Process.Kill() })
	defer kill.Stop()
	<-g.drained
	if ended := g.cmd.Wait(); ended != nil {
		err = errors.Join(err, fmt.Errorf("the gateway ended: %w", ended))
	}
	return errors.Join(err, os.RemoveAll(g.dir))
}
