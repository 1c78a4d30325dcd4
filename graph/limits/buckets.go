package limits

import (
	"math"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"
)

// buckets are token buckets by key.
//
//   - Key: the caller, or the client's address (a /64 network for IPv6).
//   - Bound: size buckets, of 200 bytes each and the key of 45 bytes at most.
//   - Filled by: every request with an accepted token, while a rate is set.
//   - Emptied by: a new key, of the bucket that was not used for the longest time, once it is full.
//
// A bucket that was not used for as long as it takes to fill is full: it is like a new one, and forgetting it gives
// nobody anything. Only such are forgotten. When there is none, keys that are not known share one more bucket. So a
// caller who makes up keys (addresses of a big network) gets the rate of the keys that fit, and those who come while they
// are all in use have less than their own; no one gets a full bucket by pushing out an empty one.
type buckets struct {
	rate   Rate
	fills  time.Duration // how long an empty bucket takes to fill
	size   int
	mu     sync.Mutex
	byKey  *simplelru.LRU[string, *bucket] // the one that was not used for the longest time is the oldest
	shared *bucket
}

type bucket struct {
	tokens *rate.Limiter
	used   time.Time // for the last time
}

// newBuckets makes an empty set; nil, which limits nothing, when the rate is 0.
func newBuckets(r Rate, size int) *buckets {
	if r.PerSecond == 0 {
		return nil
	}
	b := &buckets{rate: r, size: size, fills: time.Duration(math.MaxInt64)}
	if seconds := float64(r.Burst) / r.PerSecond; seconds < b.fills.Seconds() {
		b.fills = time.Duration(seconds*float64(time.Second)) + time.Second // rounded up
	}
	b.byKey, _ = simplelru.NewLRU[string, *bucket](size, nil) // fails only for a size below 1
	b.shared = b.empty()
	return b
}

func (b *buckets) empty() *bucket {
	return &bucket{tokens: rate.NewLimiter(rate.Limit(b.rate.PerSecond), b.rate.Burst)}
}

// take takes tokens from a key's bucket for a request that took some already; what a full bucket holds for all of it
// when that is less. It returns how to give them back; or how long to wait until there are enough for the request from
// its beginning, and then none are taken. The empty key is not limited.
func (b *buckets) take(now time.Time, key string, tokens, taken int) (refund func(), wait time.Duration) {
	if b == nil || key == "" {
		return func() {}, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	from := b.bucket(now, key)
	from.used = now
	reserved := from.tokens.ReserveN(now, min(tokens, b.rate.Burst-taken))
	if wait = reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
		return func() {}, wait + time.Duration(float64(taken)/b.rate.PerSecond*float64(time.Second))
	}
	return func() { reserved.CancelAt(now) }, 0
}

// bucket finds a key's bucket, or makes room for it.
func (b *buckets) bucket(now time.Time, key string) *bucket {
	if known, ok := b.byKey.Get(key); ok {
		return known
	}
	if b.byKey.Len() >= b.size {
		if _, oldest, _ := b.byKey.GetOldest(); now.Sub(oldest.used) < b.fills {
			return b.shared
		}
		b.byKey.RemoveOldest()
	}
	made := b.empty()
	b.byKey.Add(key, made)
	return made
}
