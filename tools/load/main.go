// Load measures a gateway that runs as a process, under load over HTTP. Each client sends its next request when it has
// the response to the last one. It has seven subcommands:
//
//	bench     what a request costs, compared with a server without GraphQL (the floor) and a reverse proxy
//	download  what a record of a download costs next to queries for the same pages, and the memory of a long one
//	fleet     what three gateways that share rates through a real Redis admit, and what clients see of its outages
//	outage    what a caller of the dispatcher notices while the core API hangs under its clients
//	shares    what a small caller notices of the attacks of a large one
//	soak      whether memory, goroutines or file descriptors keep growing under load and faults
//	streams   what thousands of streams cost, and how soon they show a change
//
// It is run by hand and prints its figures. It replaces neither micro-benchmarks (`go test -bench`) nor a load test of
// a deployment: the APIs are stand-ins on the same machine. The binary starts itself for the servers and clients that
// need a separate process (roles). It needs Linux, for /proc.
//
// Read first: run, then load in load.go, then the run of a subcommand, such as bench.run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"pixgraph/internal/process"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// command declares the flags of a subcommand and returns the function that runs it.
type command func(*tool, *flag.FlagSet) (run func(context.Context) error)

func commands() map[string]command {
	return map[string]command{
		"bench": newBench, "download": newDownload, "fleet": newFleet, "outage": newOutage, "shares": newShares, "soak": newSoak,
		"streams": newStreams,
	}
}

// tool is what the subcommands share.
type tool struct {
	args           []string // of the command line
	binary         string   // the gateway's
	flags          []string // of the gateway, after those of a subcommand
	stdout, stderr io.Writer

	stops []func() error // of what runs, in the order of the starts
}

// run runs a subcommand or a role.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	name := strings.Join(args[:min(1, len(args))], "")
	if role, found := roles()[name]; found {
		return role.serve(ctx, stdin, stderr)
	}
	define, found := commands()[name]
	if !found {
		return fmt.Errorf("%q is not a subcommand: bench, download, fleet, outage, shares, soak or streams", name)
	}
	t := &tool{args: args, stdout: stdout, stderr: stderr}
	flags := flag.NewFlagSet(name+" [flags] [-- flags of the gateway]", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&t.binary, "gateway", "", "the gateway's `binary`; it is built if none is given")
	start := define(t, flags)
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	t.flags = flags.Args()
	if t.binary == "" {
		dir, err := os.MkdirTemp("", "pixgraph-load-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		t.logf("building the gateway")
		if t.binary, err = process.Build(ctx, dir); err != nil {
			return err
		}
	}
	return t.during(func() error { return start(ctx) })
}

// logf reports progress.
func (t *tool) logf(format string, args ...any) {
	fmt.Fprintf(t.stderr, "load: "+format+"\n", args...)
}

// during calls do, and then stops what do started, the last first.
func (t *tool) during(do func() error) error {
	started := len(t.stops)
	err := do()
	for last := len(t.stops) - 1; last >= started; last-- {
		err = errors.Join(err, t.stops[last]())
	}
	t.stops = t.stops[:started]
	return err
}

// startSandbox starts a sandbox.
func (t *tool) startSandbox(config sandbox.Config) (*sandbox.Sandbox, error) {
	box, err := sandbox.Start(config)
	if err == nil {
		t.stops = append(t.stops, box.Close)
	}
	return box, err
}

// serve serves a handler in this process, and returns its address.
func (t *tool) serve(handler http.Handler) string {
	server := httptest.NewServer(handler)
	t.stops = append(t.stops, func() error {
		server.CloseClientConnections()
		server.Close()
		return nil
	})
	return server.Listener.Addr().String()
}

// token mints a token of a caller that may call both APIs.
func token(box *sandbox.Sandbox, subject string) string {
	return box.Issuer().Mint(issuer.Grant{Subject: subject, Scopes: []string{issuer.ScopeDispatcher}, TTL: 24 * time.Hour})
}

// startRole starts this binary in a role.
func (t *tool) startRole(ctx context.Context, name, role string, config any) (*process.Process, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return t.start(ctx, process.Config{Name: name, Binary: binary, Args: []string{role}, Input: config})
}

// startGateway starts a gateway that calls the APIs at two URLs and accepts the tokens of a sandbox.
func (t *tool) startGateway(ctx context.Context, name, binary string, box *sandbox.Sandbox, core, dispatcher string, flags []string) (*process.Process, error) {
	flags = append([]string{
		"--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0", "--core-url=" + core, "--dispatcher-url=" + dispatcher,
		"--auth-issuer=" + box.IssuerURL(), "--auth-audience=" + box.Audience(), "--shutdown-delay=0s",
	}, flags...)
	return t.start(ctx, process.Config{Name: name, Binary: binary, Args: append(flags, t.flags...)})
}

func (t *tool) start(ctx context.Context, config process.Config) (*process.Process, error) {
	p, err := process.Start(ctx, config)
	if err == nil {
		t.stops = append(t.stops, p.Stop)
	}
	return p, err
}

// startBoth starts a sandbox with the given number of records of each kind, and a gateway over it.
func (t *tool) startBoth(ctx context.Context, records int, flags ...string) (*sandbox.Sandbox, *process.Process, error) {
	box, err := t.startSandbox(sandbox.Config{Records: records})
	if err != nil {
		return nil, nil, err
	}
	gateway, err := t.startGateway(ctx, "gateway", t.binary, box, box.CoreURL(), box.DispatcherURL(), flags)
	return box, gateway, err
}
