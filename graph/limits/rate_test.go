package limits_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/limits"
)

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type callerKey struct{}

func callerOf(ctx context.Context) string {
	name, _ := ctx.Value(callerKey{}).(string)
	return name
}

type addressKey struct{}

func addressOf(ctx context.Context) string {
	key, _ := ctx.Value(addressKey{}).(string)
	return key
}

func as(name string) context.Context {
	return context.WithValue(context.Background(), callerKey{}, name)
}

// rated is limits with a rate, and the schema they know.
type rated struct {
	*limits.Limits
	t      testing.TB
	clock  *clock
	schema *ast.Schema
}

func newRated(t testing.TB, config limits.RateConfig) rated {
	t.Helper()
	clock := newClock()
	config.Now, config.Identity, config.Address = clock.time, callerOf, addressOf
	l, err := limits.New(limits.Config{Rate: config})
	must(t, err)
	schema := loadSchema(t)
	must(t, l.Validate(executable{schema: schema}))
	return rated{l, t, clock, schema}
}

// ask runs an operation that costs so much through the hooks. It returns how long to wait, 0 when it was let through.
func (r rated) ask(ctx context.Context, cost int) time.Duration {
	r.t.Helper()
	var failed error
	if err := r.MutateOperationParameters(ctx, &graphql.RawParams{Query: "{a}"}); err != nil {
		failed = err
	} else if cost > 1 {
		operation := operationOf(r.t, r.schema, "query($ids:[ID!]!){notifications(ids:$ids){id}}", ids(cost))
		if err := r.MutateOperationContext(ctx, operation); err != nil {
			failed = err
		}
	}
	if failed == nil {
		return 0
	}
	var limited *apierror.Error
	if !errors.As(failed, &limited) || limited.RetryAfter <= 0 {
		r.t.Fatalf("%v", failed)
	}
	return limited.RetryAfter
}

func TestRateIsOffByDefault(t *testing.T) {
	l := newLimits(t, limits.Config{})
	if key := l.AddressKey(httptest.NewRequest(http.MethodPost, "/", nil)); key != "" {
		t.Errorf("a key of an address, %q, without a limit by address", key)
	}
	for range 10_000 {
		must(t, check(l, "{a}"))
	}
}

func TestRatePerIdentity(t *testing.T) {
	r := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 2, Burst: 10}})
	for i := range 10 {
		if wait := r.ask(as("a"), 1); wait != 0 {
			t.Fatalf("request %d must wait %v", i, wait)
		}
	}
	if wait := r.ask(as("a"), 1); wait != 500*time.Millisecond {
		t.Errorf("the 11th must wait %v", wait)
	}
	if wait := r.ask(as("b"), 1); wait != 0 {
		t.Errorf("another caller must wait %v", wait)
	}
	r.clock.advance(500 * time.Millisecond)
	if wait := r.ask(as("a"), 1); wait != 0 {
		t.Errorf("must wait %v after waiting", wait)
	}
	if wait := r.ask(as("a"), 1); wait == 0 {
		t.Error("two for one token")
	}
}

func TestRateIsChargedByCost(t *testing.T) {
	r := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 1, Burst: 10}})
	if wait := r.ask(as("a"), 6); wait != 0 {
		t.Fatalf("6 of 10: wait %v", wait)
	}
	// 4 are left: the request takes one, the other 5 are not there, and the next attempt needs 6.
	wait := r.ask(as("a"), 6)
	if wait != 3*time.Second {
		t.Fatalf("6 of 4: wait %v", wait)
	}
	r.clock.advance(wait)
	if again := r.ask(as("a"), 6); again != 0 {
		t.Errorf("waited %v as told, and must wait %v more", wait, again)
	}
}

func TestRateTakesAFullBucketAtMost(t *testing.T) {
	r := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 1, Burst: 3}})
	if wait := r.ask(as("a"), 50); wait != 0 {
		t.Fatalf("more than a bucket holds: wait %v", wait)
	}
	if wait := r.ask(as("a"), 1); wait != time.Second {
		t.Errorf("then: wait %v", wait)
	}
}

func TestRateTakesFromBothOrNeither(t *testing.T) {
	r := newRated(t, limits.RateConfig{
		PerIdentity: limits.Rate{PerSecond: 1, Burst: 1}, PerAddress: limits.Rate{PerSecond: 1, Burst: 2},
	})
	address := r.AddressKey(httptest.NewRequest(http.MethodPost, "/", nil))
	from := func(caller string) time.Duration {
		return r.ask(context.WithValue(as(caller), addressKey{}, address), 1)
	}
	if from("a") != 0 {
		t.Error("the first is refused")
	}
	if from("a") == 0 {
		t.Error("the caller's second passes")
	}
	if from("b") != 0 {
		t.Error("a refused request took the address's token")
	}
	if from("c") == 0 {
		t.Error("the address's third passes")
	}
}

func TestFullBucketsAreForgottenOnly(t *testing.T) {
	r := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 1, Burst: 3}, Buckets: 5})
	for i := range 5 {
		r.ask(as(fmt.Sprint("known ", i)), 3)
	}
	passed := 0
	for i := range 1000 {
		if r.ask(as(fmt.Sprint("made up ", i)), 1) == 0 {
			passed++
		}
	}
	if passed != 3 {
		t.Errorf("%d made-up callers passed, want the 3 of the shared bucket", passed)
	}
	if r.ask(as("known 0"), 1) == 0 {
		t.Error("an empty bucket was pushed out")
	}
	if n, _ := r.Buckets(); n != 5 {
		t.Errorf("%d buckets", n)
	}
	r.clock.advance(10 * time.Second)
	if r.ask(as("new"), 3) != 0 || r.ask(as("new"), 1) == 0 {
		t.Error("a newcomer has no bucket of its own after the others are full")
	}
	if n, _ := r.Buckets(); n != 5 {
		t.Errorf("%d buckets", n)
	}
}

func TestRateOfManyAtOnce(t *testing.T) {
	r := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 0.001, Burst: 40}, Buckets: 2})
	var (
		group  sync.WaitGroup
		mu     sync.Mutex
		passed = map[string]int{}
	)
	for i := range 200 {
		group.Go(func() {
			name := fmt.Sprint(i % 4)
			if err := r.MutateOperationParameters(as(name), &graphql.RawParams{Query: "{a}"}); err == nil {
				mu.Lock()
				defer mu.Unlock()
				passed[name]++
			}
		})
	}
	group.Wait()
	total := 0
	for _, n := range passed {
		total += n
	}
	if total != 3*40 { // two buckets and the shared one
		t.Errorf("%d passed: %v", total, passed)
	}
}

func TestClientAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	tests := []struct {
		name      string
		remote    string
		forwarded []string
		trusted   []netip.Prefix
		want      string
	}{
		{"connection", "192.0.2.1:1234", nil, nil, "192.0.2.1"},
		{"IPv6 is a network", "[2001:db8:1:2:3:4:5:6]:1234", nil, nil, "2001:db8:1:2::/64"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.1]:1234", nil, nil, "192.0.2.1"},
		{"zone", "[fe80::1%eth0]:1234", nil, nil, "fe80::/64"},
		{"unreadable", "@", nil, nil, "unknown"},
		{"no proxy is trusted by default", "10.0.0.1:1", []string{"198.51.100.7"}, nil, "10.0.0.1"},
		{"not from a trusted proxy", "192.0.2.1:1", []string{"198.51.100.7"}, proxies, "192.0.2.1"},
		{"through a proxy", "10.0.0.1:1", []string{"198.51.100.7"}, proxies, "198.51.100.7"},
		{"with a port", "10.0.0.1:1", []string{"198.51.100.7:99"}, proxies, "198.51.100.7"},
		{"IPv6 with a port", "[fd00::1]:1", []string{"[2001:db8::7]:99"}, proxies, "2001:db8::/64"},
		{"IPv6 in brackets", "[fd00::1]:1", []string{"[2001:db8::7]"}, proxies, "2001:db8::/64"},
		{"through two proxies", "10.0.0.1:1", []string{"198.51.100.7, 10.0.0.2"}, proxies, "198.51.100.7"},
		{"what a client wrote itself", "10.0.0.1:1", []string{"203.0.113.9, 198.51.100.7, 10.0.0.2"}, proxies, "198.51.100.7"},
		{"a proxy's address written by a client", "10.0.0.1:1", []string{"10.9.9.9, 198.51.100.7"}, proxies, "198.51.100.7"},
		{"several headers", "10.0.0.1:1", []string{"203.0.113.9", "198.51.100.7", "10.0.0.2,10.0.0.3"}, proxies, "198.51.100.7"},
		{"only proxies", "10.0.0.1:1", []string{"10.0.0.3,10.0.0.2"}, proxies, "10.0.0.3"},
		{"rubbish", "10.0.0.1:1", []string{"198.51.100.7, nonsense"}, proxies, "10.0.0.1"},
		{"empty", "10.0.0.1:1", []string{""}, proxies, "10.0.0.1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			r.RemoteAddr = tt.remote
			for _, value := range tt.forwarded {
				r.Header.Add("X-Forwarded-For", value)
			}
			if got := limits.ClientKey(r, tt.trusted); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// forwardedKey is the key of a client that a trusted proxy names so.
func forwardedKey(header string) string {
	r := &http.Request{RemoteAddr: "10.0.0.1:1", Header: http.Header{"X-Forwarded-For": {header}}}
	return limits.ClientKey(r, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
}
