package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"pixgraph/internal/process"
	"pixgraph/internal/redistest"
	"pixgraph/sandbox"
)

// fleet measures three gateways that act as one through a real Redis: what a caller with too many requests gets, how
// soon a registered document is known, and what clients see of an outage. It fails if a request fails, never for a
// figure.
type fleet struct {
	*tool
	window time.Duration
	limits int // of which rates are measured

	box      *sandbox.Sandbox
	redis    *redistest.Server
	proxy    *redistest.Proxy
	replicas []*process.Process
}

func newFleet(t *tool, flags *flag.FlagSet) func(context.Context) error {
	f := &fleet{tool: t}
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
					limited := token(f.box, "limited")
					_, noBurst := f.send(ctx, limited, rate*load, min(5*time.Second, f.window))
					s, err := f.send(ctx, limited, rate*load, f.window)
					if err := errors.Join(noBurst, err); err != nil {
						return err
					}
					rows = append(rows, []string{by, fmt.Sprint(rate), fmt.Sprint(load), s.accepted(float64(rate) * s.elapsed.Seconds())})
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

// accepted returns the requests that were accepted, in per cent of a number.
func (s sample) accepted(of float64) string {
	return fmt.Sprintf("%.1f %%", 100*float64(s.Outcomes[ok])/of)
}

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
			var err error
			got, err = p.Metric(ctx, name)
			if err = errors.Join(err, wait(ctx, 10*time.Millisecond)); err != nil {
				return err
			}
		}
	}
	return nil
}

// send sends so many requests in a second to the replicas in turn, for a time. A request that is neither accepted nor
// refused by its rate is an error.
func (f *fleet) send(ctx context.Context, token string, perSecond int, d time.Duration) (sample, error) {
	var addresses []string
	for _, p := range f.replicas {
		addresses = append(addresses, p.Address)
	}
	clients := len(f.replicas) * max(1, min(10, perSecond/30))
	request := post("/graphql", token, operation{Query: "{ __typename }"})
	l := newLoad(clients, func(ctx context.Context, c *connection, _ int) (string, time.Duration, error) {
		status, _, err := c.do(ctx, request)
		switch {
		case err != nil || status == http.StatusOK:
			return ok, 0, err
		case status == http.StatusTooManyRequests:
			return "refused", 0, nil
		}
		return "", 0, fmt.Errorf("a request failed: %d", status)
	}, addresses...)
	defer l.close()
	l.pace = time.Second * time.Duration(clients) / time.Duration(perSecond)
	return l.run(ctx, d)
}

// documents measures the time from the response to a registration until another replica knows the document.
func (f *fleet) documents(ctx context.Context) error {
	if err := f.start(ctx); err != nil {
		return err
	}
	token := token(f.box, "client")
	var replicas []*connection
	for _, p := range f.replicas {
		c := newConnection(0, p.Address)
		defer c.close()
		replicas = append(replicas, c)
	}
	var times durations
	for i := range 50 {
		text := fmt.Sprintf("{ a%d: __typename }", i)
		code, _, err := roundTrip(ctx, replicas[0], post("/graphql", token, operation{Query: text, Extensions: persisted(text)}))
		if err != nil || code != ok {
			return fmt.Errorf("a registration failed: %s %w", code, err)
		}
		began, named := time.Now(), post("/graphql", token, operation{Extensions: persisted(text)})
		for code = ""; code != ok; {
			if code, _, err = roundTrip(ctx, replicas[1+i%2], named); err != nil {
				return err
			}
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	fmt.Fprintf(f.stdout, "A document is known to another replica after %s, at most %s (50 documents).\n\n",
		millis(times.percentile(50)), millis(times.percentile(100)))
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
		{"killed", f.redis.Kill, f.redis.Restart},
		{"stopped", f.redis.Pause, f.redis.Resume},
		{"slow", func() { f.proxy.Delay(300 * time.Millisecond) }, func() { f.proxy.Delay(0) }},
		{"cut off", func() { f.proxy.Cut(true) }, func() { f.proxy.Cut(false) }},
	} {
		f.logf("Redis is %s", o.name)
		limited, client := token(f.box, "limited "+o.name), token(f.box, "client "+o.name)
		_, noBurst := f.send(ctx, limited, 2*rate, away)
		before, noBefore := f.send(ctx, client, rate/2, away)
		var over, during sample
		var noOver, noDuring error
		var group sync.WaitGroup
		o.begin()
		group.Go(func() { over, noOver = f.send(ctx, limited, 2*rate, 2*away) })
		group.Go(func() { during, noDuring = f.send(ctx, client, rate/2, away) })
		if err := wait(ctx, away); err != nil {
			return err
		}
		o.end()
		ended := time.Now()
		notUp := f.await(ctx, "pixgraph_redis_up", 1)
		back := time.Since(ended)
		group.Wait()
		if err := errors.Join(noBurst, noBefore, notUp, noOver, noDuring); err != nil {
			return err
		}
		rows = append(rows, []string{
			o.name, millis(before.latencies.percentile(50)), millis(before.latencies.percentile(99)),
			millis(during.latencies.percentile(50)), millis(during.latencies.percentile(99)),
			during.accepted(float64(during.requests())), over.accepted(rate * over.elapsed.Seconds()), back.Round(10 * time.Millisecond).String(),
		})
	}
	_, err := fmt.Fprintln(f.stdout, table([]string{"Redis is", ">p50 before", ">p99", ">p50 in the outage", ">p99", ">accepted", ">of the rate of a caller with twice its rate", ">up again after"}, rows))
	return err
}
