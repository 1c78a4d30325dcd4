package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"pixgraph/internal/process"
	"pixgraph/internal/redistest"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// fleet measures three gateways that act as one through a real Redis: what a caller with too many requests gets, how
// soon a registered document is known, and what clients see of an outage. It fails if a request fails, never for a
// figure.
type fleet struct {
	*tool
	window time.Duration
	limits int // of which rates are measured
	client http.Client

	box      *sandbox.Sandbox
	redis    *redistest.Server
	proxy    *redistest.Proxy
	replicas []*process.Process
}

func newFleet(t *tool, flags *flag.FlagSet) func(context.Context) error {
	f := &fleet{tool: t, client: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: time.Minute}}
	flags.DurationVar(&f.window, "window", 20*time.Second, "how long to measure each rate; outages take 5 s at most")
	flags.IntVar(&f.limits, "limits", 2, "the `number` of limits whose rates are measured: 0, 1 for callers, or 2 for addresses too")
	return f.run
}

// burstOf is short, so that it is soon spent, but not as short as the time between two settlements.
func burstOf(rate int) int { return max(10, rate/5) }

func (f *fleet) run(ctx context.Context) error {
	var rows [][]string
	for _, by := range []string{"identity", "address"}[:f.limits] {
		for _, rate := range []int{5, 50, 500} {
			err := f.during(func() error {
				if err := f.start(ctx, fmt.Sprintf("--rate-%s=%d", by, rate), fmt.Sprint("--rate-identity-burst=", burstOf(rate))); err != nil {
					return err
				}
				for _, load := range []int{2, 10} {
					f.logf("%d/s by %s, %d times", rate, by, load)
					token := f.token("limited")
					f.send(ctx, token, rate*load, min(5*time.Second, f.window)) // the bursts
					s := f.send(ctx, token, rate*load, f.window)
					rows = append(rows, []string{by, fmt.Sprint(rate), fmt.Sprint(load), percent(s.accepted, float64(rate)*f.window.Seconds())})
					if s.err != nil {
						return s.err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(f.stdout, table([]string{"by", ">rate", ">load", ">admitted"}, rows))
	if err := f.during(func() error { return f.documents(ctx) }); err != nil {
		return err
	}
	return f.during(func() error { return f.outages(ctx) })
}

func percent(n int, of float64) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/of) }

// start starts Redis and three gateways over a sandbox, and waits until they know of each other.
func (f *fleet) start(ctx context.Context, flags ...string) (err error) {
	f.replicas = nil
	if f.redis, f.proxy, err = f.startRedis(); err != nil {
		return err
	}
	if f.box, err = f.startSandbox(sandbox.Config{Records: 1000, MoveEvery: -1}); err != nil {
		return err
	}
	for i := range 3 {
		p, err := f.startGateway(ctx, fmt.Sprint("replica ", i), f.binary, f.box, f.box.CoreURL(), f.box.DispatcherURL(), append(flags, "--redis-url=redis://"+f.proxy.Address()))
		if err != nil {
			return err
		}
		f.replicas = append(f.replicas, p)
	}
	return f.await(ctx, "pixgraph_redis_replicas", 3)
}

// await waits until a metric of all replicas has a value.
func (f *fleet) await(ctx context.Context, name string, value float64) error {
	for _, p := range f.replicas {
		for got := value - 1; got != value; {
			text, err := p.Get(ctx, "/metrics")
			if err == nil {
				got, err = process.Metric(text, name)
			}
			if err = errors.Join(err, wait(ctx, 10*time.Millisecond)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *fleet) token(subject string) string {
	return f.box.Issuer().Mint(issuer.Grant{Subject: subject, Scopes: []string{issuer.ScopeDispatcher}, TTL: time.Hour})
}

// sent is what clients got.
type sent struct {
	accepted int
	times    []time.Duration
	err      error // of the first request that was neither accepted nor refused by its rate
}

// send sends so many requests in a second to the replicas in turn, for a time.
func (f *fleet) send(ctx context.Context, token string, perSecond int, d time.Duration) (s sent) {
	const workers = 32
	var mu sync.Mutex
	var group sync.WaitGroup
	began, every := time.Now(), time.Second/time.Duration(perSecond)
	for w := range workers {
		group.Go(func() {
			for i := w; ; i += workers {
				at := time.Duration(i) * every
				if at >= d || wait(ctx, time.Until(began.Add(at))) != nil {
					return
				}
				from := time.Now()
				status, err := f.post(ctx, i%len(f.replicas), token, `{"query":"{ __typename }"}`)
				mu.Lock()
				s.times = append(s.times, time.Since(from))
				switch {
				case status == http.StatusOK:
					s.accepted++
				case status != http.StatusTooManyRequests && s.err == nil:
					s.err = fmt.Errorf("a request failed: %d %w", status, err)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	slices.Sort(s.times)
	return s
}

// at returns the time below which a part of the responses came.
func (s sent) at(part float64) time.Duration { return s.times[int(part*float64(len(s.times)-1))] }

func (f *fleet) post(ctx context.Context, replica int, token, body string) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+f.replicas[replica].Address+"/graphql", bytes.NewBufferString(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := f.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if bytes.Contains(text, []byte("PERSISTED_QUERY_NOT_FOUND")) {
		return http.StatusNotFound, err
	}
	return resp.StatusCode, err
}

// documents measures the time from the response to a registration until another replica knows the document.
func (f *fleet) documents(ctx context.Context) error {
	if err := f.start(ctx); err != nil {
		return err
	}
	token := f.token("client")
	var times []time.Duration
	for i := range 50 {
		text := fmt.Sprintf("{ a%d: __typename }", i)
		named := fmt.Sprintf(`"extensions":{"persistedQuery":{"version":1,"sha256Hash":"%x"}}`, sha256.Sum256([]byte(text)))
		quoted, _ := json.Marshal(text)
		if status, err := f.post(ctx, 0, token, fmt.Sprintf(`{"query":%s,%s}`, quoted, named)); status != http.StatusOK {
			return fmt.Errorf("a registration failed: %d %w", status, err)
		}
		began := time.Now()
		for status := 0; status != http.StatusOK && ctx.Err() == nil; {
			status, _ = f.post(ctx, 1+i%2, token, "{"+named+"}")
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	fmt.Fprintf(f.stdout, "A document is known to another replica after %s, at most %s (50 documents).\n\n", millis(times[25]), millis(times[49]))
	return nil
}

// outages measures clients within their rate, and one that sends twice its rate, while Redis is away for 5 s, or
// for the window if that is shorter.
func (f *fleet) outages(ctx context.Context) error {
	const rate = 50
	away := min(5*time.Second, f.window)
	if err := f.start(ctx, fmt.Sprint("--rate-identity=", rate), fmt.Sprint("--rate-identity-burst=", burstOf(rate))); err != nil {
		return err
	}
	var rows [][]string
	for _, o := range []struct {
		name       string
		begin, end func()
	}{
		{"killed", f.redis.Kill, func() { f.redis.Restart() }},
		{"stopped", f.redis.Pause, f.redis.Resume},
		{"slow", func() { f.proxy.Delay(300 * time.Millisecond) }, func() { f.proxy.Delay(0) }},
		{"cut off", func() { f.proxy.Cut(true) }, func() { f.proxy.Cut(false) }},
	} {
		f.logf("Redis is %s", o.name)
		limited, client := f.token("limited "+o.name), f.token("client "+o.name)
		f.send(ctx, limited, 2*rate, away) // the bursts
		before := f.send(ctx, client, rate/2, away)
		var over, during sent
		var group sync.WaitGroup
		o.begin()
		group.Go(func() { over = f.send(ctx, limited, 2*rate, 2*away) })
		group.Go(func() { during = f.send(ctx, client, rate/2, away) })
		if err := wait(ctx, away); err != nil {
			return err
		}
		o.end()
		ended := time.Now()
		err := f.await(ctx, "pixgraph_redis_up", 1)
		back := time.Since(ended)
		group.Wait()
		if err := errors.Join(err, before.err, over.err, during.err); err != nil {
			return err
		}
		rows = append(rows, []string{
			o.name, millis(before.at(.5)), millis(before.at(.99)), millis(during.at(.5)), millis(during.at(.99)),
			percent(during.accepted, float64(len(during.times))), percent(over.accepted, rate*2*away.Seconds()), back.Round(10 * time.Millisecond).String(),
		})
	}
	_, err := fmt.Fprintln(f.stdout, table([]string{"Redis is", ">p50 before", ">p99", ">p50 in the outage", ">p99", ">accepted", ">of the rate of a caller with twice its rate", ">up again after"}, rows))
	return err
}
