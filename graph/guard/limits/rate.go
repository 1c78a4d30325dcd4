package limits

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"pixgraph/graph/apierror"
	"pixgraph/request"
)

// RateConfig holds the rate limits. If both rates are 0, nothing is limited.
type RateConfig struct {
	PerIdentity Rate // of each caller
	PerAddress  Rate // of each client address; of each /64 network for IPv6
	// SharedIdentities and SharedAddresses say which buckets the replicas of a fleet share; see Limits.Unsettled.
	SharedIdentities, SharedAddresses bool
	// TrustedProxies are the networks of proxies whose X-Forwarded-For is trusted; none by default.
	TrustedProxies []netip.Prefix
	// Buckets is the maximum number of buckets for callers, and of those for addresses; 0 means DefaultBuckets.
	Buckets int
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// DefaultBuckets is the default of RateConfig.Buckets. A bucket has about 200 bytes.
const DefaultBuckets = 10_000

// Rate is a token bucket. Every request takes one token, and every upstream call after the first that its operation can
// cause takes another.
type Rate struct {
	PerSecond float64 // refill rate in tokens; 0 means no limit
	Burst     int     // tokens in a full bucket; an operation that costs more needs a full bucket, and owes the rest
}

func (r Rate) check(name string) error {
	if r.PerSecond < 0 || r.PerSecond > 0 && r.Burst < 1 {
		return fmt.Errorf("limits: %s must have a rate of 0, or a positive one and a burst of 1 or more", name)
	}
	return nil
}

// RateLimited returns the error for a caller without enough tokens, with the time until it has enough for the same
// request.
func RateLimited(wait time.Duration) error {
	return &apierror.Error{
		Code: apierror.RateLimited, Message: "rate limit exceeded: retry later",
		Status: http.StatusTooManyRequests, Retryable: true, RetryAfter: wait,
	}
}

// limiter charges requests to callers and addresses.
type limiter struct {
	RateConfig
	mu         *sync.Mutex
	identities *buckets // nil if not limited
	addresses  *buckets
	settling   []*bucket // in the order of the last result of Unsettled
}

// newLimiter returns a limiter for operations that take at most a number of tokens.
func newLimiter(config RateConfig, most int) (limiter, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	size, now := cmp.Or(config.Buckets, DefaultBuckets), config.Now()
	l := limiter{RateConfig: config, mu: new(sync.Mutex)}
	l.identities = newBuckets(now, identityPolicy, config.PerIdentity, most, size, kindOf(fleetIdentity, config.SharedIdentities))
	l.addresses = newBuckets(now, addressPolicy, config.PerAddress, most, size, kindOf(fleetAddress, config.SharedAddresses))
	return l, errors.Join(config.PerIdentity.check("Rate.PerIdentity"), config.PerAddress.check("Rate.PerAddress"))
}

// charge takes tokens for a call. taken is the number of tokens that the call took before. If the bucket of the caller
// or that of the address has too few, charge takes none and returns an error with the time to wait.
func (l *limiter) charge(call *request.Call, tokens, taken int) error {
	if tokens < 1 || l.identities == nil && l.addresses == nil {
		return nil
	}
	wait, buckets := l.take(call.Caller(), call.Address, tokens, taken, false)
	if call.Writer != nil {
		setHeader(call.Writer.Header(), buckets)
	}
	if wait > 0 {
		return RateLimited(wait)
	}
	return nil
}

// take takes tokens from the bucket of a caller and from that of an address, or from neither: then it returns the time
// until both have enough for the whole request. It also returns what they have then.
func (l *limiter) take(caller, address string, tokens, taken int, background bool) (wait time.Duration, after [2]left) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.Now()
	from := [...]*bucket{l.identities.bucket(now, caller), l.addresses.bucket(now, address)}
	for _, b := range from {
		if b != nil {
			wait = max(wait, b.wait(now, tokens, taken, background))
		}
	}
	for i, b := range from {
		if b != nil && wait == 0 {
			b.take(now, tokens)
		}
		after[i] = b.left(now)
	}
	return wait, after
}

// PayPart is PayInBackground for as many of the calls as half a bucket has, so that payers with many calls wait no
// longer than those with one. It returns the number of calls that were paid.
func (l *Limits) PayPart(caller, address string, calls int) (paid int, wait time.Duration) {
	paid = min(calls, l.rate.identities.half(), l.rate.addresses.half())
	if wait = l.PayInBackground(caller, address, paid); wait > 0 {
		return 0, wait
	}
	return paid, 0
}

// PayInBackground charges a caller and an address for the calls of a stream or of a download, or for a search. It takes
// only from buckets that are at least half full, so that the operations of the caller come first. Otherwise it takes
// none and returns the time to wait.
func (l *Limits) PayInBackground(caller, address string, calls int) time.Duration {
	wait, _ := l.rate.take(caller, address, calls, 0, true)
	return wait
}
