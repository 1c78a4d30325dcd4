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
			b.pending = taken{}
		}
		r.settling = append(r.settling, set.unsettled[:n]...)
		set.unsettled = slices.Delete(set.unsettled, 0, n)
	}
	return charges
}

// Settled implements fleet.Ledger. What this replica knows itself stays: after an outage, or a loss of data, others may
// still have to tell what they took.
func (l *Limits) Settled(charges []fleet.Charge, replicas int) {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for i, c := range charges {
		b := r.settling[i]
		if !c.Settled {
			if b.of.settles {
				b.assume(now, float64(c.Units*(replicas-1)))
			}
			continue
		}
		b.answered = b.of.seconds(now)
		b.shared = b.of.sent + c.Debt.Seconds() // not later than by Redis's clock
		full := b.pending.after(b.shared, b.of.rate.PerSecond)
		b.debt = max(b.missing(now), (full-b.of.seconds(now))*b.of.rate.PerSecond)
	}
}

// unknownFor bounds the time before an outage of which a replica assumes that others took their part. If more is
// missing then than a full bucket has, it also bounds the time in which the replica refills the excess.
const unknownFor = time.Second

// assume counts tokens that others may have taken as missing, if a bucket is less than half full. A caller that stays
// within its rate must not be refused because of an outage.
func (b *bucket) assume(now time.Time, tokens float64) {
	if debt, burst := b.missing(now), float64(b.of.rate.Burst); debt > burst/2 {
		b.debt = min(debt+tokens, max(debt+b.of.refill.perSecond*unknownFor.Seconds(), burst))
	}
}

// Divide implements fleet.Ledger. Each replica assumes that the others took their part of the rate since its last
// settlement of a bucket.
func (l *Limits) Divide(replicas int) {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for _, set := range r.shared() {
		for _, b := range set.unsettled {
			b.pending = taken{}
		}
		clear(set.unsettled)
		set.unsettled, set.settles = set.unsettled[:0], false
		own := set.rate.PerSecond / float64(replicas)
		set.refill.change(now, own)
		for _, b := range set.byKey.Values() {
			b.assume(now, (set.rate.PerSecond-own)*min(set.seconds(now)-b.answered, unknownFor.Seconds()))
			b.before = b.missing(now)
		}
	}
}

// Unite implements fleet.Ledger. What a bucket lacks more than before was taken of this replica, beyond its part of the
// rate, and is added to that of the others.
func (l *Limits) Unite() {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for _, set := range r.shared() {
		set.refill.change(now, set.rate.PerSecond)
		set.settles = true
		for _, b := range set.byKey.Values() {
			debt := b.missing(now)
			b.shared = set.seconds(now) + min(debt, b.before)/set.rate.PerSecond
			if more := int(debt - b.before + rounding); more > 0 {
				b.queue(now, more)
			}
		}
	}
}
