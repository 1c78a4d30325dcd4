package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"pixgraph/internal/process"
	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
)

// soak is what is under way: a sandbox in this process, a gateway beside it, and clients of that.
type soak struct {
	plan
	box     *sandbox.Sandbox
	gateway *process.Gateway
	client  *http.Client
	next    int // fault

	transactions, notifications []string // ids
	tokens                      []string // of the cycle

	requests, withErrors atomic.Int64 // since the last look
}

// records of each kind are enough for pages of a hundred.
const records = 300

// clientTimeout is beyond what any answer of the gateway takes, on a busy machine too.
const clientTimeout = 2 * time.Minute

// open starts sandbox and gateway. The soak must be closed.
func open(ctx context.Context, p plan) (_ *soak, err error) {
	s := &soak{plan: p, client: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: p.clients}, Timeout: clientTimeout,
	}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.box, err = sandbox.Start(sandbox.Config{Records: records}); err != nil {
		return nil, err
	}
	for _, entry := range s.box.Ledger().Transactions()[:100] {
		s.transactions = append(s.transactions, entry.ID)
	}
	for _, entry := range s.box.Ledger().Notifications()[:100] {
		s.notifications = append(s.notifications, entry.ID)
	}
	s.gateway, err = process.Start(ctx, p.gateway, s.box, flags()...)
	return s, err
}

// concurrency is how many calls to an API may be under way, and so how many connections to it may be kept.
const concurrency = 32

// flags have the gateway wait less for the APIs than by default, so that what hangs does not stand in the way of a cycle,
// and open a circuit breaker only where nearly all calls fail, so that most faults are met.
func flags() []string {
	return []string{
		"--paging-page-param=page", "--paging-per-page-param=perPage", "--links-metadata-pointer=/notificationIds",
		fmt.Sprintf("--upstream-concurrency=%d", concurrency), "--upstream-timeout=1s", "--operation-timeout=3s",
		"--upstream-breaker-percent=90", "--profiling=on",
	}
}

func (s *soak) close() error {
	var errs []error
	s.client.CloseIdleConnections()
	if s.gateway != nil {
		errs = append(errs, s.gateway.Stop())
	}
	if s.box != nil {
		errs = append(errs, s.box.Close())
	}
	return errors.Join(errs...)
}

// defaultRemembered is more than the gateway remembers of documents, by any of its caches.
const defaultRemembered = 2500

// fill has the gateway remember as many documents as it ever will (of a plan by default), so that what grows later grows for another reason.
func (s *soak) fill(ctx context.Context) error {
	s.renewTokens()
	for n := range s.remembered {
		if err := s.post(ctx, registered(n), s.tokens[0], fmt.Sprintf("app-%d", n)); err != nil {
			return err
		}
	}
	s.requests.Store(0)
	s.withErrors.Store(0)
	return nil
}

// cycle has the clients send requests for a time, through all faults that come, and leaves the gateway without any.
func (s *soak) cycle(ctx context.Context) error {
	s.renewTokens()
	loaded, end := context.WithTimeout(ctx, s.plan.cycle())
	defer end()
	var under sync.WaitGroup
	cycle := uint64(s.next)
	under.Go(func() { s.ail(loaded, s.plan.cycle()) })
	failed := make([]error, s.clients)
	for i := range s.clients {
		random := rand.New(rand.NewPCG(uint64(i), cycle)) // other requests in each cycle
		under.Go(func() {
			for first := true; first || loaded.Err() == nil && failed[i] == nil; first = false {
				failed[i] = s.request(ctx, random)
			}
		})
	}
	under.Wait()
	s.client.CloseIdleConnections()
	s.box.ResetCalls()
	return errors.Join(append(failed, ctx.Err())...)
}

// renewTokens mints those of the next cycle, for callers of all sorts. There are few, because the gateway may keep each of
// them until it ends.
func (s *soak) renewTokens() {
	s.tokens = s.tokens[:0]
	for i := range 16 {
		grant := issuer.Grant{Subject: fmt.Sprintf("caller-%d", i), TTL: time.Minute}
		if i%4 != 0 {
			grant.Scopes = []string{issuer.ScopeDispatcher}
		}
		s.tokens = append(s.tokens, s.box.Issuer().Mint(grant))
	}
	s.tokens = append(s.tokens, // two that are refused
		s.box.Issuer().Mint(issuer.Grant{TTL: -time.Hour}), s.box.Issuer().Mint(issuer.Grant{Audience: []string{"another"}}))
}
