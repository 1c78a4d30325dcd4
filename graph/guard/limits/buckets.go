package limits

import (
	"math"
	"time"

	"pixgraph/internal/lru"
)

// buckets are token buckets by key. They have no lock: that of limiter protects them.
//
//   - Key: the caller, or the client's address (a /64 network for IPv6).
//   - Bound: size buckets of about 200 bytes each, plus the key, of 45 bytes at most. In a fleet 24 bytes more.
//   - Filled by: every request with an accepted token, while a rate is set.
//   - Emptied by: a new key, which evicts the least recently used bucket when the set is full.
//
// Only a full bucket is evicted. It equals a new one, so a caller gains nothing by its eviction. While no bucket can be
// evicted, all unknown keys share one additional bucket, each replica its own. So a client that uses many keys (the
// addresses of a large network) gets at most the rate of size keys. Other clients without a bucket share the additional
// one at that time, and get less than their own rate.
type buckets struct {
	name   string // in header fields
	policy string // the whole item of headerPolicy
	rate   Rate
	refill refill // of each bucket
	most   int    // tokens that one operation can take, at least a full bucket
	byKey  *lru.Cache[string, *bucket]
	rest   *bucket // the additional one

	fleet     fleetKind // "" if the replicas of a fleet do not share the buckets
	settles   bool      // whether Redis is used
	unsettled []*bucket // from which tokens were taken since the last settlement
	begin     time.Time
	sent      float64 // when the charges that are not answered were sent, in seconds of the set
}

// seconds returns a time in seconds since the set began, as those of settlements are.
func (b *buckets) seconds(now time.Time) float64 { return now.Sub(b.begin).Seconds() }

// newBuckets returns an empty set, or nil, which limits nothing, if the rate is 0.
func newBuckets(now time.Time, name string, r Rate, most, size int, fleet fleetKind) *buckets {
	if r.PerSecond == 0 {
		return nil
	}
	b := &buckets{
		name: name, policy: policyOf(name, r), rate: r, refill: refill{since: now, perSecond: r.PerSecond}, most: max(most, r.Burst),
		byKey: lru.NewCounted[string, *bucket](size, nil), fleet: fleet, begin: now,
	}
	b.rest = &bucket{of: b}
	return b
}

// allowed returns how many of some tokens must be there for a request that took others before: never more than a full
// bucket in total. It takes all of them, and owes the rest.
func (b *buckets) allowed(tokens, taken int) int { return min(tokens, b.rate.Burst-taken) }

// half returns the tokens of a bucket that is half full.
func (b *buckets) half() int {
	if b == nil {
		return math.MaxInt
	}
	return max(1, b.rate.Burst/2)
}

// bucket returns the bucket of a key, nil for the empty key or a nil set, which are not limited. It creates a missing
// one. If the set is full, it evicts a full bucket for it that has no tokens to settle and no settlement in flight.
func (b *buckets) bucket(now time.Time, key string) *bucket {
	if b == nil || key == "" {
		return nil
	}
	if known, ok := b.byKey.Get(key); ok {
		return known
	}
	if !b.byKey.MakeRoom(func(other *bucket) bool {
		return other.missing(now) <= rounding && !other.settling && (!b.settles || other.pending.tokens == 0)
	}) {
		return b.rest
	}
	made := &bucket{of: b, total: b.refill.total(now)}
	if b.fleet != "" {
		made.key = b.fleet.key(key)
	}
	b.byKey.Add("", key, made)
	return made
}
