package limits_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/auth"
	"pixgraph/graph/apierror"
	"pixgraph/graph/guard/limits"
	"pixgraph/request"
)

// clock is a clock that the test sets.
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

// authenticator identifies callers by their tokens.
var authenticator = sync.OnceValues(func() (*auth.Authenticator, error) { return auth.New(auth.Config{Mode: auth.ModeForward}) })

// as returns a call of a caller.
func as(name string) *request.Call {
	callers, err := authenticator()
	if err != nil {
		panic(err)
	}
	identity, err := callers.Authenticate(&http.Request{Header: http.Header{"Authorization": {fmt.Sprintf("Bearer %x", name)}}})
	if err != nil {
		panic(err)
	}
	return &request.Call{Identity: identity}
}

// rated is limits with a rate, and their schema.
type rated struct {
	*limits.Limits
	t      testing.TB
	clock  *clock
	schema *ast.Schema
}

func newRated(t testing.TB, config limits.RateConfig) rated {
	t.Helper()
	return newRatedAt(t, newClock(), config)
}

func newRatedAt(t testing.TB, clock *clock, config limits.RateConfig) rated {
	t.Helper()
	config.Now = clock.time
	schema := loadSchema(t)
	l, err := limits.New(limits.Config{Rate: config}, schema)
	must(t, err)
	return rated{l, t, clock, schema}
}

// send charges a call for an operation with a cost. It returns the time to wait; 0 if the operation was accepted.
func (r rated) send(call *request.Call, cost int) time.Duration {
	r.t.Helper()
	failed := r.Charge(call)
	if failed == nil && cost > 1 {
		failed = r.Cost(call, operationOf(r.t, r.schema, "query($ids:[ID!]!){notifications(ids:$ids){id}}", ids(cost)))
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

// want sends an operation of a caller, and fails the test unless it must wait so long.
func (r rated) want(caller string, cost int, wait time.Duration, what string) {
	r.t.Helper()
	if got := r.send(as(caller), cost); got != wait {
		r.t.Errorf("%s: wait %v, want %v", what, got, wait)
	}
}

func TestRateIsOffByDefault(t *testing.T) {
	l := newLimits(t, limits.Config{})
	if key := l.AddressKey(httptest.NewRequest(http.MethodPost, "/", nil)); key != "" {
		t.Errorf("an address has the key %q without a limit by address", key)
	}
	for range 10_000 {
		must(t, check(l, "{a}"))
	}
}

func TestRatePerIdentity(t *testing.T) {
	r := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 2, Burst: 10}})
	for i := range 10 {
		r.want("a", 1, 0, fmt.Sprint("request ", i))
	}
	r.want("a", 1, 500*time.Millisecond, "the 11th")
	r.want("b", 1, 0, "another caller")
	r.clock.advance(500 * time.Millisecond)
	r.want("a", 1, 0, "after the wait")
	if wait := r.send(as("a"), 1); wait == 0 {
		t.Error("two requests were accepted for one token")
	}
}

func TestRateIsChargedByCost(t *testing.T) {
	r := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 1, Burst: 10}})
	r.want("a", 6, 0, "6 of 10")
	// Of the 4 tokens that are left the request takes one. The next attempt needs 6.
	r.want("a", 6, 3*time.Second, "6 of 4")
	r.clock.advance(3 * time.Second)
	r.want("a", 6, 0, "after the wait")
}

// TestCostAboveTheBurst: an operation that costs more than the burst needs a full bucket, and owes the rest: on the
// average, a caller gets its rate. Callers that share a bucket owe nothing for each other.
func TestCostAboveTheBurst(t *testing.T) {
	r := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 1, Burst: 3}, Buckets: 1})
	r.want("a", 50, 0, "a cost above the burst")
	for range 2 {
		r.want("a", 1, 48*time.Second, "a small one after it")
	}
	r.clock.advance(48 * time.Second)
	r.want("a", 50, 3*time.Second, "another one, which takes the one token that is there")
	r.clock.advance(3 * time.Second)
	r.want("a", 50, 0, "after the wait")
	r.send(as("b"), 50)
	r.want("c", 1, time.Second, "a caller without a bucket")
}

func TestRateTakesFromBothOrNeither(t *testing.T) {
	r := newRated(t, limits.RateConfig{
		PerIdentity: limits.Rate{PerSecond: 1, Burst: 1}, PerAddress: limits.Rate{PerSecond: 1, Burst: 2},
	})
	address := r.AddressKey(httptest.NewRequest(http.MethodPost, "/", nil))
	from := func(caller string) time.Duration {
		call := as(caller)
		call.Address = address
		return r.send(call, 1)
	}
	if from("a") != 0 {
		t.Error("the first request is rejected")
	}
	if from("a") == 0 {
		t.Error("the second request of the caller is accepted")
	}
	if from("b") != 0 {
		t.Error("a rejected request took a token of the address")
	}
	if from("c") == 0 {
		t.Error("the third request of the address is accepted")
	}
}

func TestOnlyFullBucketsAreEvicted(t *testing.T) {
	r := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 1, Burst: 3}, Buckets: 5})
	for i := range 5 {
		r.send(as(fmt.Sprint("known ", i)), 3)
	}
	accepted := 0
	for i := range 1000 {
		if r.send(as(fmt.Sprint("unknown ", i)), 1) == 0 {
			accepted++
		}
	}
	if accepted != 3 {
		t.Errorf("%d unknown callers were accepted, want the 3 of the shared bucket", accepted)
	}
	if r.send(as("known 0"), 1) == 0 {
		t.Error("an empty bucket was evicted")
	}
	if n, _ := r.Buckets(); n != 5 {
		t.Errorf("%d buckets", n)
	}
	r.clock.advance(10 * time.Second)
	if r.send(as("new"), 3) != 0 || r.send(as("new"), 1) == 0 {
		t.Error("a new caller has no bucket, though all other buckets have refilled")
	}
	if n, _ := r.Buckets(); n != 5 {
		t.Errorf("%d buckets", n)
	}
}

func TestRateOfConcurrentRequests(t *testing.T) {
	r := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 0.001, Burst: 40}, Buckets: 2})
	var (
		group    sync.WaitGroup
		mu       sync.Mutex
		accepted = map[string]int{}
	)
	for i := range 200 {
		group.Go(func() {
			name := fmt.Sprint(i % 4)
			if r.Charge(as(name)) == nil {
				mu.Lock()
				defer mu.Unlock()
				accepted[name]++
			}
		})
	}
	group.Wait()
	total := 0
	for _, n := range accepted {
		total += n
	}
	if total != 3*40 { // two buckets and the shared one
		t.Errorf("%d requests were accepted: %v", total, accepted)
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
		{"a network of IPv6", "[2001:db8:1:2:3:4:5:6]:1234", nil, nil, "2001:db8:1:2::/64"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.1]:1234", nil, nil, "192.0.2.1"},
		{"IPv6 with a zone", "[fe80::1%eth0]:1234", nil, nil, "fe80::/64"},
		{"an invalid address", "@", nil, nil, "unknown"},
		{"no proxy is trusted by default", "10.0.0.1:1", []string{"198.51.100.7"}, nil, "10.0.0.1"},
		{"from an untrusted proxy", "192.0.2.1:1", []string{"198.51.100.7"}, proxies, "192.0.2.1"},
		{"through a proxy", "10.0.0.1:1", []string{"198.51.100.7"}, proxies, "198.51.100.7"},
		{"with a port", "10.0.0.1:1", []string{"198.51.100.7:99"}, proxies, "198.51.100.7"},
		{"IPv6 with a port", "[fd00::1]:1", []string{"[2001:db8::7]:99"}, proxies, "2001:db8::/64"},
		{"IPv6 in brackets", "[fd00::1]:1", []string{"[2001:db8::7]"}, proxies, "2001:db8::/64"},
		{"through two proxies", "10.0.0.1:1", []string{"198.51.100.7, 10.0.0.2"}, proxies, "198.51.100.7"},
		{"a header that the client wrote", "10.0.0.1:1", []string{"203.0.113.9, 198.51.100.7, 10.0.0.2"}, proxies, "198.51.100.7"},
		{"a proxy's address written by a client", "10.0.0.1:1", []string{"10.9.9.9, 198.51.100.7"}, proxies, "198.51.100.7"},
		{"several headers", "10.0.0.1:1", []string{"203.0.113.9", "198.51.100.7", "10.0.0.2,10.0.0.3"}, proxies, "198.51.100.7"},
		{"only proxies", "10.0.0.1:1", []string{"10.0.0.3,10.0.0.2"}, proxies, "10.0.0.3"},
		{"not an address", "10.0.0.1:1", []string{"198.51.100.7, nonsense"}, proxies, "10.0.0.1"},
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

// forwardedKey is the key of a client behind a trusted proxy that sends the header.
func forwardedKey(header string) string {
	r := &http.Request{RemoteAddr: "10.0.0.1:1", Header: http.Header{"X-Forwarded-For": {header}}}
	return limits.ClientKey(r, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
}

// TestPollsLeaveHalf: the reads of streams take only from buckets that are at least half full, of the caller and of the
// address. They take from both or from none.
func TestPollsLeaveHalf(t *testing.T) {
	l := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 2, Burst: 10}, PerAddress: limits.Rate{PerSecond: 1, Burst: 20}})
	poll := func(want time.Duration) {
		t.Helper()
		if wait := l.PayInBackground("a", "1.2.3.4", 1); wait != want {
			t.Errorf("wait %v, want %v", wait, want)
		}
	}
	for range 6 { // 10 to 4 tokens
		poll(0)
	}
	poll(500 * time.Millisecond)
	if wait := l.send(as("a"), 4); wait != 0 {
		t.Errorf("an operation waits %v for the other half", wait)
	}
	l.clock.advance(2500 * time.Millisecond)
	poll(0)
	if wait := l.PayInBackground("b", "1.2.3.4", 1); wait != 0 {
		t.Errorf("another caller waits %v", wait)
	}
	off := newLimits(t, limits.Config{})
	if wait := off.PayInBackground("a", "", 1); wait != 0 {
		t.Errorf("wait %v without a rate", wait)
	}
}

// TestPayInParts: many calls are paid in parts of half a bucket, the smaller one of both, so that they need no more
// than one call does.
func TestPayInParts(t *testing.T) {
	l := newRated(t, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 2, Burst: 10}, PerAddress: limits.Rate{PerSecond: 1, Burst: 100}})
	pay := func(calls, want int, wantWait time.Duration) {
		t.Helper()
		if paid, wait := l.PayPart("a", "1.2.3.4", calls); paid != want || wait != wantWait {
			t.Errorf("%d of %d paid, wait %v; want %d, %v", paid, calls, wait, want, wantWait)
		}
	}
	pay(20, 5, 0)
	pay(15, 5, 0)
	pay(10, 0, 2500*time.Millisecond)
	l.clock.advance(2500 * time.Millisecond)
	pay(3, 3, 0)
	if paid, wait := newLimits(t, limits.Config{}).PayPart("a", "", 50); paid != 50 || wait != 0 {
		t.Errorf("%d paid, wait %v without a rate", paid, wait)
	}
}
