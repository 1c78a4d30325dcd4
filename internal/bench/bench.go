// Bench measures the gateway, with its fast path and without, beside a floor that does the same HTTP and no GraphQL, and
// beside a reverse proxy. All of them are real processes on this machine, asked in turns, round after round; what counts
// is the processor time that a request costs them.
//
// It is no micro-benchmark (those are `go test -bench`) and no load test of a deployment: the APIs it runs against are
// bytes in memory, and every client waits for its answer before it asks again. It needs Linux, for /proc.
//
// The binary is started again, by itself, as the stand-in for the APIs, as the floor and as the proxy: see roles.
//
// Read first: run, then measureRounds in rounds.go, which is the measurement.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// roles are what the binary runs as when its first argument says so. Each serves until its input ends.
func roles() map[string]func(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	return map[string]func(context.Context, []string, io.Reader, io.Writer) error{
		"standin": runStandin, "floor": runFloor, "proxy": runProxy,
	}
}

// run measures as args say and prints the report, or serves in one of the roles.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		if serve, ok := roles()[args[0]]; ok {
			return serve(ctx, args[1:], stdin, stdout)
		}
	}
	p, err := parsePlan(args, stderr)
	if err != nil {
		return err
	}
	p.progress = stderr
	found, err := measure(ctx, p)
	if err != nil {
		return err
	}
	text := found.markdown()
	if _, err := io.WriteString(stdout, text); err != nil || p.out == "" {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.out, "bench.svg"), []byte(found.chart()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.out, "bench.md"), []byte(text), 0o644)
}

// plan is what a run measures, and for how long.
type plan struct {
	out     string // the directory of the report; "" to print it only
	gateway string // the gateway's binary; "" to build it
	before  string // an older binary of the gateway to measure as well; "" for none

	sets        int   // of variables, per query that has some
	connections []int // numbers of them that are measured

	rounds int           // of all cells
	slice  time.Duration // of one cell in one round
	warmUp time.Duration // before each slice, not counted
	starts int           // of the gateway, to time its first answer
	lasts  time.Duration // of the measurements that are made once

	command  string    // as it can be given again
	progress io.Writer // told what is going on
}

// The plans to choose from: a full run takes less than five minutes, a quick one less than one.
func fullPlan() plan {
	return plan{sets: distinctSets, connections: connections(), rounds: 5, slice: 600 * time.Millisecond, warmUp: 100 * time.Millisecond, starts: 9, lasts: 4 * time.Second}
}

func quickPlan() plan {
	return plan{sets: distinctSets, connections: connections(), rounds: 1, slice: 200 * time.Millisecond, warmUp: 50 * time.Millisecond, starts: 3, lasts: time.Second}
}

func parsePlan(args []string, stderr io.Writer) (plan, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	quick := flags.Bool("quick", false, "measure briefly: good for a look, not for figures to keep")
	out := flags.String("out", "", "the `directory` to write bench.md and bench.svg to")
	gateway := flags.String("gateway", "", "the gateway's `binary`; it is built when none is given")
	before := flags.String("before", "", "an older `binary` of the gateway, of the time before the fast path, to measure beside it")
	if err := flags.Parse(args); err != nil {
		return plan{}, err
	}
	if flags.NArg() > 0 {
		return plan{}, fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	p := fullPlan()
	if *quick {
		p = quickPlan()
	}
	p.out, p.gateway, p.before = *out, *gateway, *before
	p.command = strings.Join(append([]string{"go run ./internal/bench"}, args...), " ")
	return p, nil
}
