package limits

import (
	"math"
	"time"
)

// bucket is a token bucket, stored as the tokens that are missing in it. These may be more than a full bucket has: what
// an operation costs beyond it is owed, and what other replicas took is known only later.
type bucket struct {
	of    *buckets
	debt  float64 // tokens that were missing when the refill had the total
	total float64

	key      string  // the key in Redis; "" if the replicas do not share the bucket
	pending  taken   // tokens that are not in a settlement yet
	settling bool    // whether a settlement is in flight
	settled  float64 // the time until which the tokens of the others are known or assumed, in seconds of the set
	shared   float64 // when the bucket is full by the last settlement, in seconds of the set
	// before is the debt when this replica stopped using Redis, without its pending tokens. assumed is the part of it
	// that was assumed, not known.
	before, assumed float64
}

// taken is tokens that were taken from a time on, in seconds of the set.
type taken struct {
	tokens float64
	since  float64
}

// after returns the time at which a bucket is full if these tokens are taken from it. full is that time without them.
// It is exact if the tokens were taken evenly, and too early otherwise, so the tokens of several replicas can be added.
func (t taken) after(full, perSecond float64) float64 {
	if t.tokens == 0 {
		return full
	}
	return max(full, t.since) + t.tokens/perSecond
}

// rounding is the part of a token by which sums of floating-point numbers may be wrong.
const rounding = 1e-6

// longestWait is the longest time to wait that an error names.
const longestWait = 10 * 365 * 24 * time.Hour

// missing returns the tokens that are missing now.
func (b *bucket) missing(now time.Time) float64 {
	total := b.of.refill.total(now)
	b.debt = max(0, b.debt-(total-b.total))
	b.total = total
	return b.debt
}

// wait returns the time until tokens can be taken for a request that took some before, 0 if now. Those of background
// work need a bucket that is at least half full.
func (b *bucket) wait(now time.Time, tokens, taken int, background bool) time.Duration {
	free := float64(b.of.rate.Burst) - b.missing(now)
	lacking := float64(b.of.allowed(tokens, taken)) - free
	if lacking > rounding {
		lacking += float64(taken) // the next request takes them too
	}
	if background {
		lacking = max(lacking, float64(b.of.half())-free)
	}
	if lacking <= rounding {
		return 0
	}
	seconds := min(lacking/b.of.refill.perSecond, longestWait.Seconds())
	return time.Duration(math.Ceil(seconds*1e6-rounding)) * time.Microsecond
}

// take takes tokens. What it owes, the next requests wait for; those that share a bucket do not wait for each other.
func (b *bucket) take(now time.Time, tokens int) {
	b.debt = b.missing(now) + float64(tokens)
	if b == b.of.rest {
		b.debt = min(b.debt, float64(b.of.rate.Burst))
	}
	if b.key != "" && tokens > 0 && b.of.settles {
		b.queue(now, float64(tokens))
	}
}

// queue adds tokens to the next settlement of the bucket.
func (b *bucket) queue(now time.Time, tokens float64) {
	if b.pending.tokens == 0 {
		b.pending.since = b.of.seconds(now)
		b.of.unsettled = append(b.of.unsettled, b)
	}
	b.pending.tokens += tokens
}

// refill is the number of tokens that a bucket with space for them would have got, at a rate that may change.
type refill struct {
	before    float64 // until since
	since     time.Time
	perSecond float64
}

func (r *refill) total(now time.Time) float64 {
	return r.before + max(0, now.Sub(r.since).Seconds())*r.perSecond
}

// change sets the rate from now on.
func (r *refill) change(now time.Time, perSecond float64) {
	r.before, r.since, r.perSecond = r.total(now), now, perSecond
}
