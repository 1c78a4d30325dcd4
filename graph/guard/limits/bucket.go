package limits

import (
	"math"
	"time"
)

// bucket is a token bucket, stored as the tokens that are missing in it. These may be more than a full bucket has: what
// other replicas took is known only later.
type bucket struct {
	of    *buckets
	debt  float64 // tokens that were missing when the refill had the total
	total float64

	key      string  // of the settlements with other replicas; "" if they do not share the bucket
	pending  taken   // since the last settlement
	settling bool    // whether a settlement is not answered
	settled  float64 // until when it is known, or assumed, what others took, in seconds of the set
	shared   float64 // when the bucket is full according to it, in seconds of the set
	// before is the tokens that were missing when Redis was used last, without those that were pending. Of these, the
	// replica only assumed some.
	before, assumed float64
}

// taken is tokens that were taken from a time on, in seconds of the set.
type taken struct {
	tokens float64
	since  float64
}

// after returns when a bucket is full from which these tokens were taken, and that would be full at a time otherwise.
// It is exact if they were taken evenly, and otherwise too early. So tokens of several replicas can be added.
func (t taken) after(full, perSecond float64) float64 {
	if t.tokens == 0 {
		return full
	}
	return max(full, t.since) + t.tokens/perSecond
}

// rounding is the part of a token by which sums of floating-point numbers may be wrong.
const rounding = 1e-6

// longestWait is the longest time that a request is told to wait.
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

// take takes tokens.
func (b *bucket) take(now time.Time, tokens int) {
	b.debt = b.missing(now) + float64(tokens)
	if b.key != "" && tokens > 0 && b.of.settles {
		b.queue(now, float64(tokens))
	}
}

// queue has tokens settled.
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
