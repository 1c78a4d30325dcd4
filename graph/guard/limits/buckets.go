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
//   - Bound: size buckets of about 200 bytes each, plus the key, of 45 bytes at most.
//   - Filled by: every request with an accepted token, while a rate is set.
//   - Emptied by: a new key, which evicts the least recently used bucket when the set is full.
//
// A bucket is evicted only if it was not used for the time that it takes to refill. It is then full, hence equal to a
// new one, so a caller gains nothing by its eviction. While no bucket can be evicted, all unknown keys share one
// additional bucket. So a client that uses many keys (the addresses of a large network) gets at most the rate of size
// keys. Other clients without a bucket share the additional one at that time, and get less than their own rate.
type buckets struct {
	rate       Rate
	refillTime time.Duration // the time in which an empty bucket refills
	size       int
	mu         sync.Mutex
	byKey      *simplelru.LRU[string, *bucket] // in the order of use
	shared     *bucket
}

type bucket struct {
	tokens *rate.Limiter
	used   time.Time // the time of the last use
}

// newBuckets returns an empty set, or nil, which limits nothing, if the rate is 0.
func newBuckets(r Rate, size int) *buckets {
	if r.PerSecond == 0 {
		return nil
	}
	b := &buckets{rate: r, size: size, refillTime: time.Duration(math.MaxInt64)}
	if seconds := float64(r.Burst) / r.PerSecond; seconds < b.refillTime.Seconds() {
		b.refillTime = time.Duration(seconds*float64(time.Second)) + time.Second // rounded up
	}
	b.byKey, _ = simplelru.NewLRU[string, *bucket](size, nil) // fails only for a size below 1
	b.shared = b.empty()
	return b
}

func (b *buckets) empty() *bucket {
	return &bucket{tokens: rate.NewLimiter(rate.Limit(b.rate.PerSecond), b.rate.Burst)}
}

// take takes tokens from a key's bucket for a request. taken is the number of tokens that the request took before. A
// request never takes more than a full bucket in total. If there are too few tokens, take takes none and returns the
// time until the bucket has enough for the whole request. Otherwise it returns a function that refunds the tokens. The
// empty key is not limited.
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

// takeSpare takes tokens from a key's bucket if it is at least half full, or else returns the time until it is.
func (b *buckets) takeSpare(now time.Time, key string, tokens int) (refund func(), wait time.Duration) {
	if b == nil || key == "" {
		return func() {}, 0
	}
	b.mu.Lock()
	missing := float64(b.half()) - b.bucket(now, key).tokens.TokensAt(now)
	b.mu.Unlock()
	if missing > 0 {
		return func() {}, time.Duration(missing / b.rate.PerSecond * float64(time.Second))
	}
	return b.take(now, key, tokens, 0)
}

// half returns the tokens of a bucket that is half full.
func (b *buckets) half() int {
	if b == nil {
		return math.MaxInt
	}
	return max(1, b.rate.Burst/2)
}

// bucket returns the bucket of a key. It creates a missing one, and evicts another one for it if the table is full.
func (b *buckets) bucket(now time.Time, key string) *bucket {
	if known, ok := b.byKey.Get(key); ok {
		return known
	}
	if b.byKey.Len() >= b.size {
		if _, oldest, _ := b.byKey.GetOldest(); now.Sub(oldest.used) < b.refillTime {
			return b.shared
		}
		b.byKey.RemoveOldest()
	}
	made := b.empty()
	b.byKey.Add(key, made)
	return made
}
