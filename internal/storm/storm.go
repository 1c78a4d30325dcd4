// Storm has the core hang under 200 clients of a real gateway with its default settings, and measures what those see who
// ask for the dispatcher only; then it has one caller ask for fifty times as much as another.
//
// It judges counts and states: who asked for the dispatcher was answered, the breaker opened, the core was found well
// again, the small caller got all it asked for. Times and memory are printed, and never a reason to fail, because the
// clients share this machine with the gateway. It is no benchmark (internal/bench) and no soak (internal/soak).
//
// The binary is started again, by itself, as the crowd of clients, so that what those do with their processor time is not
// on the clock of the clients that are measured. It needs Linux, for /proc.
//
// Read first: run, then storm.rage in rage.go.
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

	"pixgraph/internal/process"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "storm:", err)
		os.Exit(1)
	}
}

// plan is how long to storm, and with how many clients.
type plan struct {
	calm    time.Duration // before each storm, and before the greedy caller comes
	hang    time.Duration // of the core
	greed   time.Duration // of the greedy caller
	clients int           // of the core
	records int           // of each kind in the sandbox
	gateway string        // the gateway's binary; "" to build it
	flags   []string      // of the gateway, beyond the defaults
}

func parsePlan(args []string, stderr io.Writer) (plan, error) {
	p := plan{records: defaultRecords}
	flags := flag.NewFlagSet("storm", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.DurationVar(&p.hang, "hang", 30*time.Second, "how long the core hangs")
	flags.DurationVar(&p.calm, "calm", 5*time.Second, "how long to look at a gateway before that")
	flags.DurationVar(&p.greed, "greed", 6*time.Second, "how long one caller asks for fifty times as much as another")
	flags.IntVar(&p.clients, "clients", 200, "clients that ask for the core")
	flags.StringVar(&p.gateway, "gateway", "", "the gateway's `binary`; it is built when none is given")
	if err := flags.Parse(args); err != nil {
		return plan{}, err
	}
	p.flags = flags.Args() // what follows "--" goes to the gateway
	if p.calm <= 0 || p.hang <= 0 || p.greed <= 0 || p.clients <= 0 {
		return plan{}, errors.New("durations and clients must be positive")
	}
	return p, nil
}

// run storms as args say and prints what was seen, or plays a role.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) == 1 {
		switch args[0] {
		case crowdRole:
			return beCrowd(ctx, stdin, stdout)
		case decoyRole:
			return beDecoy(ctx, stdin, stdout)
		}
	}
	p, err := parsePlan(args, stderr)
	if err != nil {
		return err
	}
	found, err := measure(ctx, p)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(stdout, found.text()); err != nil {
		return err
	}
	return found.judge()
}

// findings are all that a run found out.
type findings struct {
	plan
	storms []storm
	greed  greed
}

// measure makes both storms and has the greedy caller come, each over a gateway of its own.
func measure(ctx context.Context, p plan) (found findings, err error) {
	if p.gateway == "" {
		dir, err := os.MkdirTemp("", "pixgraph-storm-")
		if err != nil {
			return findings{}, err
		}
		defer os.RemoveAll(dir)
		if p.gateway, err = process.Build(ctx, dir); err != nil {
			return findings{}, err
		}
	}
	found.plan = p
	for _, patient := range []bool{true, false} {
		s := storm{patient: patient}
		if err := within(ctx, p, s.rage); err != nil {
			return found, fmt.Errorf("%s clients: %w", s.name(), err)
		}
		found.storms = append(found.storms, s)
	}
	if err := within(ctx, p, found.greed.grab); err != nil {
		return found, fmt.Errorf("a greedy caller: %w", err)
	}
	return found, nil
}
