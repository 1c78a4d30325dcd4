package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"pixgraph/upstream/sandbox/issuer"
)

// The servers that are compared.
const (
	fastPath  = "fast path"
	reference = "reference" // the gateway with its fast path off
	earlier   = "before"    // an older gateway
	floorName = "floor"
	proxyName = "proxy"
)

// bench is what all measurements need: the gateway's binary, an issuer whose tokens it takes, and the queries.
type bench struct {
	plan
	records records
	queries []query
	token   string

	issuer *issuer.Issuer
	server *http.Server // the issuer's
	dir    string       // of the binary that was built
}

// audience is the one that the tokens are for.
const audience = "bench"

// open makes what a plan needs. The bench must be closed.
func open(ctx context.Context, p plan) (_ *bench, err error) {
	b := &bench{plan: p, records: newRecords(p.sets)}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.queries, err = newQueries(b.records); err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b.issuer, err = issuer.New(issuer.Config{URL: "http://" + listener.Addr().String(), Audience: audience})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	b.server = &http.Server{Handler: b.issuer, ReadHeaderTimeout: headerTimeout}
	go func() { _ = b.server.Serve(listener) }() // ends with close
	b.token = b.issuer.Mint(issuer.Grant{Scopes: []string{issuer.ScopeDispatcher}, TTL: 24 * time.Hour})
	if b.gateway == "" {
		err = b.build(ctx)
	}
	return b, err
}

// build makes the gateway's binary, as a release is made.
func (b *bench) build(ctx context.Context) (err error) {
	b.tell("building the gateway")
	if b.dir, err = os.MkdirTemp("", "pixgraph-bench-"); err != nil {
		return err
	}
	b.gateway = filepath.Join(b.dir, "pixgraph")
	out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", b.gateway, "pixgraph").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build the gateway: %w: %s", err, out)
	}
	return nil
}

func (b *bench) close() error {
	var errs []error
	if b.server != nil {
		errs = append(errs, b.server.Close())
	}
	if b.dir != "" {
		errs = append(errs, os.RemoveAll(b.dir))
	}
	return errors.Join(errs...)
}

// tell says what is going on.
func (b *bench) tell(format string, args ...any) {
	fmt.Fprintf(b.progress, "bench: "+format+"\n", args...)
}

// lab is the processes of a measurement, and what to ask them.
type lab struct {
	*bench
	standin *process
	servers []*process
	asks    map[string]map[string][]exchange // by the names of server and query
}

// openLab starts the stand-in with a latency. The lab must be closed.
func (b *bench) openLab(ctx context.Context, latency time.Duration) (*lab, error) {
	standin, err := startRole(ctx, "standin", []string{latency.String(), strconv.Itoa(b.sets)}, nil)
	if err != nil {
		return nil, err
	}
	return &lab{bench: b, standin: standin, asks: map[string]map[string][]exchange{}}, nil
}

func (l *lab) close() error {
	var errs []error
	for _, p := range append(l.servers, l.standin) {
		errs = append(errs, p.stop())
	}
	return errors.Join(errs...)
}

// startGateway starts a gateway over the stand-in, by one of the three names it can have.
func (l *lab) startGateway(ctx context.Context, name string) (*process, error) {
	binary := l.gateway
	flags := []string{
		"--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0",
		"--core-url=" + l.upstreamURL(coreBase), "--dispatcher-url=" + l.upstreamURL(dispatcherBase),
		"--auth-issuer=" + l.issuer.URL(), "--auth-audience=" + audience,
		"--paging-page-param=page", "--paging-per-page-param=perPage",
	}
	switch name {
	case earlier:
		binary = l.before // and its settings
	case reference:
		flags = append(flags, "--shutdown-delay=0s", "--upstream-coalescing=off", "--fast-path=off")
	default:
		// The clients of the load ask the same: one call would serve them all.
		flags = append(flags, "--shutdown-delay=0s", "--upstream-coalescing=off")
	}
	return startGateway(ctx, name, binary, flags)
}

func (l *lab) upstreamURL(path string) string { return "http://" + l.standin.address + path }

// addGateways starts gateways and records what they answer. They must all answer the same, byte for byte.
func (l *lab) addGateways(ctx context.Context, names ...string) error {
	for _, name := range names {
		p, err := l.startGateway(ctx, name)
		if err != nil {
			return err
		}
		l.servers = append(l.servers, p)
		if err := l.record(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// addFloor starts the floor, with the answers of the gateway.
func (l *lab) addFloor(ctx context.Context) error {
	scripts := map[string]script{}
	asks := map[string][]exchange{}
	for _, q := range l.queries {
		for i, s := range q.sets {
			path := "/" + q.name + "/" + strconv.Itoa(i)
			answer := l.asks[fastPath][q.name][i].answer
			script := script{Answer: answer}
			for _, round := range s.rounds {
				var urls []string
				for _, target := range round {
					urls = append(urls, l.upstreamURL(target))
				}
				script.Rounds = append(script.Rounds, urls)
			}
			scripts[path] = script
			request, err := q.post(path, l.token, s)
			if err != nil {
				return err
			}
			asks[q.name] = append(asks[q.name], exchange{request, answer})
		}
	}
	p, err := startRole(ctx, floorName, nil, func(stdin io.Writer) error { return gob.NewEncoder(stdin).Encode(scripts) })
	if err != nil {
		return err
	}
	l.servers = append(l.servers, p)
	l.asks[floorName] = asks
	return nil
}

// addProxy starts the proxy. It is asked for the pages that the queries over one page need.
func (l *lab) addProxy(ctx context.Context) error {
	p, err := startRole(ctx, proxyName, []string{"http://" + l.standin.address}, nil)
	if err != nil {
		return err
	}
	l.servers = append(l.servers, p)
	l.asks[proxyName] = map[string][]exchange{}
	for _, q := range l.queries {
		if len(q.sets) > 1 {
			continue
		}
		request := get(q.sets[0].rounds[0][0], l.token)
		page, err := askOnce(ctx, l.standin.address, request)
		if err != nil {
			return err
		}
		l.asks[proxyName][q.name] = []exchange{{request, page}}
	}
	return nil
}
