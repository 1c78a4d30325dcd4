// Soak has a real gateway answer for minutes or hours, over a sandbox whose faults come and go, and fails when its memory,
// goroutines or file descriptors keep growing.
//
// It is no benchmark (that is internal/bench): the sandbox and the clients run in this process, beside the gateway. It needs
// Linux, for /proc.
//
// Read first: run, then soak.cycle, which is loaded, then calm, then looked at.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// plan is how long to soak, and with how many clients.
type plan struct {
	duration time.Duration
	clients  int
	// remembered is how many documents the gateway is sent before the first cycle.
	remembered int
	gateway    string // the gateway's binary; "" to build it
}

// The length of a cycle. There are about cycles of them, so that there are samples to compare whatever the duration.
const (
	cycles   = 20
	minCycle = time.Second
	maxCycle = 30 * time.Second
)

func (p plan) cycle() time.Duration { return min(max(p.duration/cycles, minCycle), maxCycle) }

func parsePlan(args []string, stderr io.Writer) (plan, error) {
	p := plan{remembered: defaultRemembered}
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.DurationVar(&p.duration, "duration", 10*time.Minute, "how long to soak")
	flags.IntVar(&p.clients, "clients", 16, "clients at a time")
	flags.StringVar(&p.gateway, "gateway", "", "the gateway's `binary`; it is built when none is given")
	if err := flags.Parse(args); err != nil {
		return plan{}, err
	}
	if flags.NArg() > 0 {
		return plan{}, fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if p.duration <= 0 || p.clients <= 0 {
		return plan{}, errors.New("duration and clients must be positive")
	}
	return p, nil
}

// run soaks as args say, prints a row for each cycle, and at the end what it all came to.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	p, err := parsePlan(args, stderr)
	if err != nil {
		return err
	}
	samples, err := measure(ctx, p, stdout)
	if err != nil {
		return err
	}
	return judge(stdout, samples)
}

// measure soaks a gateway and returns what was seen of it after each cycle.
func measure(ctx context.Context, p plan, stdout io.Writer) (samples []sample, err error) {
	s, err := open(ctx, p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.fill(ctx); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(stdout, header); err != nil {
		return nil, err
	}
	for began := time.Now(); time.Since(began) < p.duration; {
		if err := s.cycle(ctx); err != nil {
			return nil, err
		}
		seen, err := s.look(ctx)
		if err != nil {
			return nil, err
		}
		seen.at = time.Since(began)
		samples = append(samples, seen)
		if _, err := io.WriteString(stdout, seen.row()); err != nil {
			return nil, err
		}
	}
	return samples, nil
}
