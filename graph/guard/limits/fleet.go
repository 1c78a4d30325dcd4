package limits

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"pixgraph/internal/fleet"
)

var _ fleet.Ledger = (*Limits)(nil)

// fleetKind is the kind of the buckets that the replicas of a fleet share: the first letter of their keys there.
type fleetKind string

const (
	fleetIdentity fleetKind = "c"
	fleetAddress  fleetKind = "a"
)

func kindOf(kind fleetKind, shared bool) fleetKind {
	if !shared {
		return ""
	}
	return kind
}

// key returns the key of a bucket in the fleet: 16 bytes of a SHA-256, in 22 characters.
func (k fleetKind) key(key string) string {
	sum := sha256.Sum256([]byte(string(k) + key))
	return string(k) + base64.RawURLEncoding.EncodeToString(sum[:16])
}

// duration returns a number of seconds.
func duration(seconds float64) time.Duration {
	const longest = 100 * 365 * 24 * time.Hour
	return time.Duration(max(-longest.Seconds(), min(seconds, longest.Seconds())) * float64(time.Second))
}

// shared returns the sets that replicas share.
func (l *limiter) shared() (sets []*buckets) {
	for _, set := range []*buckets{l.identities, l.addresses} {
		if set != nil && set.fleet != "" {
			sets = append(sets, set)
		}
	}
	return sets
}

// Unsettled implements fleet.Ledger: it returns what was taken from at most so many buckets since their last
// settlement. From then on it counts as settled, since it is not known whether a charge without an answer is.
func (l *Limits) Unsettled(most int) (charges []fleet.Charge) {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	r.settling = r.settling[:0]
	for _, set := range r.shared() {
		set.sent = set.seconds(now)
		perSecond := set.rate.PerSecond
		n := min(len(set.unsettled), most-len(charges))
		for _, b := range set.unsettled[:n] {
			charges = append(charges, fleet.Charge{
				Key: b.key, Units: b.pending.tokens, Used: duration(float64(b.pending.tokens) / perSecond),
				Age: duration(set.sent - b.pending.since), Known: duration(b.shared - set.sent),
				Full: duration(float64(set.rate.Burst) / perSecond),
			})
			b.shared = b.pending.after(b.shared, perSecond)
			b.pending, b.queued = taken{}, false
		}
		r.settling = append(r.settling, set.unsettled[:n]...)
		set.unsettled = slices.Delete(set.unsettled, 0, n)
	}
	return charges
}

// Settled implements fleet.Ledger.
func (l *Limits) Settled(charges []fleet.Charge, replicas int) {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for i, c := range charges {
		b := r.settling[i]
		if !c.Settled {
			b.assume(now, c.Units, replicas)
			continue
		}
		b.shared = b.of.sent + c.Debt.Seconds()
		b.missing(now)
		full := max(b.pending.after(b.shared, b.of.rate.PerSecond), b.alone)
		b.debt = max(0, full-b.of.seconds(now)) * b.of.rate.PerSecond
	}
}

// assume counts tokens that were not settled as taken at each other replica too, if a bucket is less than half full,
// until it will have a token in about a second. A caller that stays within its rate must not be refused because of an
// outage. A bucket that refills at a part of the rate has that part of what is missing.
func (b *bucket) assume(now time.Time, tokens, replicas int) {
	debt, burst, perSecond := b.missing(now), float64(b.of.rate.Burst), b.of.refill.perSecond
	if debt > burst/2 {
		others := float64(tokens*(replicas-1)) * perSecond / b.of.rate.PerSecond
		b.debt = max(debt, min(debt+others, burst+perSecond))
	}
}

// Divide implements fleet.Ledger.
func (l *Limits) Divide(replicas int) {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for _, set := range r.shared() {
		set.refill.change(now, set.rate.PerSecond/float64(replicas))
		for _, b := range set.unsettled {
			b.queued = false
			b.assume(now, b.pending.tokens, replicas)
		}
		clear(set.unsettled)
		set.unsettled, set.settles = set.unsettled[:0], false
	}
}

// Unite implements fleet.Ledger.
func (l *Limits) Unite() {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for _, set := range r.shared() {
		set.refill.change(now, set.rate.PerSecond)
		set.settles = true
		for _, b := range set.byKey.Values() {
			if b.pending.tokens > 0 {
				b.queue()
			}
		}
	}
}
