package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
)

// role is this binary started again, as the crowd or the decoy. It plays until its input ends.
type role struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	said io.Reader
}

func startRole(ctx context.Context, name string) (*role, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary, name)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &role{cmd, in, out}, cmd.Start()
}

// stop ends it. All that it said must have been read.
func (r *role) stop() error { return errors.Join(r.in.Close(), r.cmd.Wait()) }
