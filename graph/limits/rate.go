package limits

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"pixgraph/graph/apierror"
)

// RateConfig says how often callers may ask. Nothing is limited while both rates are 0.
type RateConfig struct {
	PerIdentity Rate // of one caller
	PerAddress  Rate // of one client address; of one /64 network for IPv6
	// Identity is the caller of the request in ctx; "" when there is none, and then only the address is limited.
	Identity func(context.Context) string
	// Address is the AddressKey of the request in ctx.
	Address func(context.Context) string
	// TrustedProxies are the networks of proxies whose X-Forwarded-For is believed; none by default.
	TrustedProxies []netip.Prefix
	// Buckets is how many callers, and how many addresses, are told apart at a time; 0 is DefaultBuckets.
	Buckets int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// DefaultBuckets: about 200 bytes each.
const DefaultBuckets = 10_000

// Rate is a token bucket. Every request takes a token, and every call upstream that its operation may lead to, but the
// first, another one.
type Rate struct {
	PerSecond float64 // tokens that come back; 0 for no limit
	Burst     int     // tokens that a bucket holds. An operation that costs more takes a full bucket.
}

func (r Rate) check(name string) error {
	if r.PerSecond < 0 || r.PerSecond > 0 && r.Burst < 1 {
		return fmt.Errorf("limits: %s must have a rate of 0, or a positive one and a burst of 1 or more", name)
	}
	return nil
}

// rateLimited says that a caller sent too much in a short time, and when there are tokens enough for the same request.
func rateLimited(wait time.Duration) error {
	return &apierror.Error{
		Code: apierror.RateLimited, Message: "too many requests, or too expensive ones, in a short time: try again later",
		Status: http.StatusTooManyRequests, Retryable: true, RetryAfter: wait,
	}
}

// limiter charges callers and addresses.
type limiter struct {
	identity   func(context.Context) string
	address    func(context.Context) string
	identities *buckets // nil when not limited
	addresses  *buckets
	trusted    []netip.Prefix
	now        func() time.Time
}

// newLimiter makes a limiter, or nil when nothing is limited.
func newLimiter(config RateConfig) (*limiter, error) {
	if err := errors.Join(config.PerIdentity.check("Rate.PerIdentity"), config.PerAddress.check("Rate.PerAddress")); err != nil {
		return nil, err
	}
	if config.Buckets < 0 {
		return nil, errors.New("limits: Rate.Buckets must not be negative")
	}
	if config.PerIdentity.PerSecond > 0 && config.Identity == nil {
		return nil, errors.New("limits: Rate.PerIdentity needs Rate.Identity")
	}
	if config.PerAddress.PerSecond > 0 && config.Address == nil {
		return nil, errors.New("limits: Rate.PerAddress needs Rate.Address")
	}
	if config.PerIdentity.PerSecond == 0 && config.PerAddress.PerSecond == 0 {
		return nil, nil //nolint:nilnil // a nil limiter limits nothing
	}
	l := &limiter{identity: config.Identity, address: config.Address, trusted: config.TrustedProxies, now: config.Now}
	if l.now == nil {
		l.now = time.Now
	}
	size := config.Buckets
	if size == 0 {
		size = DefaultBuckets
	}
	l.identities = newBuckets(config.PerIdentity, size)
	l.addresses = newBuckets(config.PerAddress, size)
	return l, nil
}

// charge takes tokens for the request in ctx, for which some were taken already, from the caller's bucket and the
// address's, or from neither: then it returns an error with the time to wait.
func (l *limiter) charge(ctx context.Context, tokens, taken int) error {
	if l == nil || tokens < 1 {
		return nil
	}
	now := l.now()
	var caller, address string
	if l.identities != nil {
		caller = l.identity(ctx)
	}
	if l.addresses != nil {
		address = l.address(ctx)
	}
	refundCaller, wait := l.identities.take(now, caller, tokens, taken)
	refundAddress, waitAddress := l.addresses.take(now, address, tokens, taken)
	if wait = max(wait, waitAddress); wait > 0 {
		refundCaller()
		refundAddress()
		return rateLimited(wait)
	}
	return nil
}
