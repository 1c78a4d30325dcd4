package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// process is a server that was started to be measured, or to be called by those.
type process struct {
	name    string
	address string    // host:port
	began   time.Time // before it was started

	cmd     *exec.Cmd
	stdin   io.WriteCloser
	end     func() error  // tells it to end, in the one way that it knows: a second one could meet it on its way out
	drained chan struct{} // closed when it says no more
	said    []byte        // the last line before it served
}

// How long a process may take to serve, and to end when it is told to: far longer than it does on a busy machine.
const (
	startTimeout = 2 * time.Minute
	stopTimeout  = 2 * time.Minute
)

// startRole starts this binary in a role, and feeds it what it reads first.
func startRole(ctx context.Context, name string, args []string, feed func(io.Writer) error) (*process, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary, append([]string{name}, args...)...)
	p := &process{name: name, cmd: cmd}
	p.end = func() error { return p.stdin.Close() }
	return p.start(feed, func(line []byte) (string, bool) {
		address, ok := strings.CutPrefix(string(line), announcement)
		return strings.TrimSpace(address), ok
	})
}

// startGateway starts a gateway's binary. It sees none of the environment's settings of a gateway.
func startGateway(ctx context.Context, name, binary string, flags []string) (*process, error) {
	cmd := exec.CommandContext(ctx, binary, flags...)
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PIXGRAPH_") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	p := &process{name: name, cmd: cmd}
	p.end = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return p.start(nil, func(text []byte) (string, bool) {
		var line struct{ Msg, Address string }
		err := json.Unmarshal(text, &line)
		return line.Address, err == nil && line.Msg == "serving"
	})
}

// start starts the command and waits until one of the lines that it prints has its address.
func (p *process) start(feed func(io.Writer) error, addressIn func(line []byte) (string, bool)) (*process, error) {
	p.drained = make(chan struct{})
	p.cmd.WaitDelay = stopTimeout
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stderr = p.cmd.Stdout
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	found := make(chan string, 1)
	go p.read(out, addressIn, found)
	if feed != nil {
		if err := feed(p.stdin); err != nil {
			return nil, errors.Join(fmt.Errorf("feed %s: %w", p.name, err), p.stop())
		}
	}
	select {
	case address, ok := <-found:
		if !ok {
			return nil, errors.Join(fmt.Errorf("%s did not serve; it said %q", p.name, p.said), p.stop())
		}
		p.address = address
		return p, nil
	case <-time.After(startTimeout):
		return nil, errors.Join(fmt.Errorf("%s did not serve in %s", p.name, startTimeout), p.stop())
	}
}

// read finds the address in what the process prints, and throws away what follows.
func (p *process) read(out io.Reader, addressIn func([]byte) (string, bool), found chan<- string) {
	defer close(p.drained)
	defer close(found)
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadBytes('\n')
		if address, ok := addressIn(line); ok {
			found <- address
			_, _ = io.Copy(io.Discard, in)
			return
		}
		if len(line) > 0 {
			p.said = bytes.TrimSpace(line)
		}
		if err != nil {
			return
		}
	}
}

// pid is the process's id.
func (p *process) pid() int { return p.cmd.Process.Pid }

// stop has the process end, and waits for that: a role ends with its input, a gateway by SIGTERM.
func (p *process) stop() error {
	_ = p.end()
	kill := time.AfterFunc(stopTimeout, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	<-p.drained
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%s ended: %w", p.name, err)
	}
	return nil
}
