// Package sandbox implements the two REST APIs of the Pix payment service over HTTP on loopback,
// with generated records and an OIDC issuer of its own. It is for development, demonstrations and
// tests.
//
// It does not imitate: any write or payment (a timer changes open payments); webhooks to other
// machines, or ones that are repeated; rate limits, quotas, latency or failures that were not
// injected (see Fault); TLS and HTTP/2; tenants, since every valid token can read every record;
// masking that depends on the caller; receipt links, which lead nowhere; and above all whatever
// docs/upstream-api.md does not show. There the sandbox makes a choice, documented at Config, and a
// client must not depend on these choices.
//
// It is strict about every path, parameter, validation, status and field of docs/upstream-api.md, spec 4 to 8.
//
// In addition to the APIs it has routes for people and for tools that are not written in Go, below
// Path: tokens, the issuer, faults and recorded calls. control.go lists them, and docs/sandbox.md
// documents them. A caller that has a server of its own serves them there too, with Handler.
//
// Read Start first, then Sandbox.respond, which implements the two APIs, and Fault.
package sandbox

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"pixgraph/sandbox/issuer"
	"pixgraph/sandbox/ledger"
)

// headerTimeout closes connections that do not complete their request's header.
const headerTimeout = 10 * time.Second

// Sandbox is a running sandbox. Its methods are safe for concurrent use.
type Sandbox struct {
	cfg                    Config
	coreURL, dispatcherURL string
	issuer                 *issuer.Issuer
	ledger                 *ledger.Ledger
	recorder               *recorder
	faults                 *faults
	webhooks               *webhooks
	operations             []operation
	gzips                  sync.Pool
	handler                http.Handler // of the routes below Path
	listener               string       // the address that serves only these
	servers                []*http.Server

	stop    context.CancelFunc // releases all waits
	stopped <-chan struct{}
	running sync.WaitGroup // the servers and the goroutine that moves payments
	rest    chan struct{}  // a request to that goroutine to move none

	mu      sync.Mutex
	closed  bool
	serving sync.WaitGroup // handlers; added to with mu held while not closed
}

// Start generates the records and serves core, dispatcher and the routes below Path, each on a free
// port of 127.0.0.1 and on no other address. The caller must Close it. The error names the invalid field
// of cfg, or the listener that failed.
func Start(cfg Config) (*Sandbox, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	var listeners [3]net.Listener
	for i := range listeners {
		if listeners[i], err = cfg.Listen(); err != nil {
			for _, l := range listeners[:i] {
				_ = l.Close()
			}
			return nil, fmt.Errorf("sandbox: listen: %w", err)
		}
	}
	s, err := build(cfg, listeners)
	if err != nil {
		for _, l := range listeners {
			_ = l.Close()
		}
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop, s.stopped = stop, ctx.Done()
	for i, l := range listeners {
		s.running.Go(func() {
			if err := s.servers[i].Serve(l); !errors.Is(err, http.ErrServerClosed) {
				cfg.Log.Error("sandbox: serve", "address", l.Addr().String(), "error", err)
			}
		})
	}
	s.running.Go(func() { s.deliverWebhooks(ctx) })
	s.running.Go(s.move)
	return s, nil
}

// build creates the Sandbox without starting anything.
func build(cfg Config, listeners [3]net.Listener) (*Sandbox, error) {
	var urls [3]string
	for i, l := range listeners {
		urls[i] = "http://" + l.Addr().String()
	}
	if len(cfg.Servers) == 0 {
		cfg.Servers = urls[2:]
	}
	iss, err := newIssuer(cfg)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	s := &Sandbox{
		cfg:           cfg,
		coreURL:       urls[0] + coreBase,
		listener:      listeners[2].Addr().String(),
		dispatcherURL: urls[1] + dispatcherBase,
		issuer:        iss,
		ledger:        ledger.New(ledger.Config{Seed: cfg.Seed, Records: cfg.Records, Deposits: cfg.Deposits, Now: cfg.Now}),
		recorder:      newRecorder(),
		faults:        new(faults),
		operations:    configured(cfg),
		webhooks:      newWebhooks(cfg),
		rest:          make(chan struct{}),
	}
	s.gzips.New = func() any {
		zw, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
		return zw
	}
	s.handler = s.track(local(s.control()))
	for _, h := range []http.Handler{s.track(s.api(Core)), s.track(s.api(Dispatcher)), s.handler} {
		s.servers = append(s.servers, &http.Server{
			Handler:           h,
			ReadHeaderTimeout: headerTimeout,
			ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelWarn),
		})
	}
	return s, nil
}

// newIssuer creates the issuer, with the key of the key file if there is one.
func newIssuer(cfg Config) (*issuer.Issuer, error) {
	config := issuer.Config{Audience: cfg.Audience, Now: cfg.Now}
	for _, server := range cfg.Servers {
		config.Aliases = append(config.Aliases, server+Path+issuerPath)
	}
	config.URL, config.Aliases = config.Aliases[0], config.Aliases[1:]
	if cfg.KeyFile != "" {
		var err error
		switch config.Key, err = issuer.OpenKey(cfg.KeyFile); {
		case errors.Is(err, issuer.ErrReplaced):
			cfg.Log.Warn("sandbox: earlier tokens are no longer valid", "error", err)
		case err != nil:
			cfg.Log.Warn("sandbox: tokens are valid until this process ends, because its key cannot be stored", "error", err)
		}
	}
	return issuer.New(config)
}

// api serves one of the two APIs: it finds the faults of the call, records the call, waits as the faults say, computes
// the response, applies the faults to it, and sends it.
func (s *Sandbox) api(service string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := s.targetOf(service, r.URL)
		active := s.faults.take(service, to, r) // before begin: a test that waits for the call may then end the fault
		end := s.recorder.begin(service, r)
		defer end(0)
		for _, f := range active {
			if !s.hold(r.Context(), f) {
				panic(http.ErrAbortHandler)
			}
		}
		x := exchange{s, w, r, s.respond(service, to, r), end}
		x.deliver(active)
	})
}

// track makes Close wait for the handlers.
func (s *Sandbox) track(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			panic(http.ErrAbortHandler)
		}
		s.serving.Add(1)
		s.mu.Unlock()
		defer s.serving.Done()
		h.ServeHTTP(w, r)
	})
}

// move steps the open payments until a request that they rest, and ends with Close.
func (s *Sandbox) move() {
	var due <-chan time.Time
	if s.cfg.MoveEvery > 0 {
		ticker := time.NewTicker(s.cfg.MoveEvery)
		defer ticker.Stop()
		due = ticker.C
	}
	for {
		select {
		case <-due:
			s.ledger.Step()
		case <-s.rest:
			due = nil
		case <-s.stopped:
			return
		}
	}
}

// CoreURL is the base URL of the core API (spec's base_url), with a path.
func (s *Sandbox) CoreURL() string { return s.coreURL }

// DispatcherURL is the base URL of the dispatcher (spec's dispatcher_url),
// with a path.
func (s *Sandbox) DispatcherURL() string { return s.dispatcherURL }

// URL is the URL of the routes below Path, by the name of the host that people use.
func (s *Sandbox) URL() string { return s.cfg.Servers[len(s.cfg.Servers)-1] + Path }

// Handler serves the routes below Path, for the servers that Config names. It responds only to
// requests of this machine.
func (s *Sandbox) Handler() http.Handler { return s.handler }

// Client makes requests to the issuer, which it reaches whether or not the servers that Config names are serving, and
// without a connection to them. The connection to its own listener has no TLS, also if those of the servers have.
func (s *Sandbox) Client() *http.Client {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return s.cfg.Dial(ctx, network, s.listener)
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DialTLSContext: dial}}
}

// Issuer is the issuer whose tokens the two APIs accept.
func (s *Sandbox) Issuer() *issuer.Issuer { return s.issuer }

// IssuerURL is the iss of the tokens and the base of the discovery document.
func (s *Sandbox) IssuerURL() string { return s.issuer.URL() }

// Audience is the aud that the two APIs require.
func (s *Sandbox) Audience() string { return s.cfg.Audience }

// Ledger is the records, for tests that read, add or damage some.
func (s *Sandbox) Ledger() *ledger.Ledger { return s.ledger }

// Close stops the servers and the payments, closes the connections of open calls, and returns when
// all goroutines have ended. Calling it again does nothing.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	var errs []error
	for _, server := range s.servers {
		errs = append(errs, server.Close())
	}
	s.running.Wait()
	s.serving.Wait()
	s.webhooks.client.CloseIdleConnections()
	return errors.Join(errs...)
}
