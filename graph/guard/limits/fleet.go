package limits

import (
	"crypto/sha256"
	"encoding/base64"
	"math"
	"slices"
	"time"

	"pixgraph/fleet"
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

// Unsettled implements fleet.Ledger: it returns what was taken from up to most buckets since their last settlement. It
// counts these tokens as settled at once, because Redis may have added a charge that it did not answer.
func (l *Limits) Unsettled(most int) (charges []fleet.Charge) {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	r.settling = r.settling[:0]
	sets := r.shared()
	for i, set := range sets {
		set.sent = set.seconds(now)
		perSecond := set.rate.PerSecond
		n := min(len(set.unsettled), most-len(charges))
		if i+1 < len(sets) { // leave up to half of the charges to the next set
			n = min(n, most-min(len(sets[i+1].unsettled), most/2))
		}
		for _, b := range set.unsettled[:n] {
			charges = append(charges, fleet.Charge{
				Key: b.key, Units: int(math.Round(b.pending.tokens)), Used: duration(b.pending.tokens / perSecond),
				Age: duration(set.sent - b.pending.since), Known: duration(b.shared - set.sent),
				Most: duration(float64(set.most) / perSecond),
			})
			b.shared = b.pending.after(b.shared, perSecond)
			b.pending, b.settling = taken{}, true
		}
		r.settling = append(r.settling, set.unsettled[:n]...)
		set.unsettled = slices.Delete(set.unsettled, 0, n)
	}
	return charges
}

// Settled implements fleet.Ledger. It never reduces the debt that this replica knows of: after an outage of Redis, or a
// loss of its data, the other replicas may not have settled what they took.
func (l *Limits) Settled(charges []fleet.Charge, replicas int) {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for i, c := range charges {
		b := r.settling[i]
		b.settling = false
		debt, more := b.missing(now), 0.0
		switch perSecond := b.of.rate.PerSecond; {
		case c.Settled:
			b.settled = b.of.seconds(now)
			b.shared = b.of.sent + c.Debt.Seconds() // not later than by Redis's clock
			more = max(0, (b.pending.after(b.shared, perSecond)-b.settled)*perSecond-debt)
		case b.of.settles:
			refilled := max(unknownFor.Seconds(), float64(replicas*b.of.most)/perSecond) // of one at each replica
			more = b.assume(now, replicas, float64(c.Units*(replicas-1)), refilled)
		default: // Redis failed meanwhile, so other replicas may not know of these tokens: Unite settles them
			b.before -= c.Used.Seconds() * perSecond
		}
		b.debt += more
		b.before += more // of others, if Redis is not used any more
	}
}

// unknownFor is the longest period before an outage for which a replica assumes that the others used their shares of
// the rate. After one failed settlement, the period can be as long as the refill of a burst, or of the largest
// operation, at each replica.
const unknownFor = time.Second

// assume returns the tokens that this replica assumes the others to have taken since the last settlement: their shares
// of the rate in that time, of which at most the last seconds count, and no more than most. It moves b.settled forward,
// so that no time is counted twice.
func (b *bucket) assume(now time.Time, replicas int, most, seconds float64) float64 {
	at, perSecond := b.of.seconds(now), b.of.rate.PerSecond*float64(replicas-1)/float64(replicas)
	b.settled = max(b.settled, at-seconds)
	tokens := min(most, (at-b.settled)*perSecond)
	if tokens > 0 {
		b.settled += tokens / perSecond
	}
	return tokens
}

// Divide implements fleet.Ledger. If a bucket is less than half full, the replica assumes that the others used their
// shares of the rate since the last settlement. A bucket that is at least half full gets no such debt: an outage must
// not reject a caller within its rate. The debt may exceed the burst by what the replica refills in unknownFor.
func (l *Limits) Divide(replicas int) {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for _, set := range r.shared() {
		own, burst := set.rate.PerSecond/float64(replicas), float64(set.rate.Burst)
		set.refill.change(now, own)
		clear(set.unsettled)
		set.unsettled, set.settles = set.unsettled[:0], false
		for _, b := range set.byKey.All() {
			debt := b.missing(now)
			if b.assumed = 0; debt > burst/2 {
				b.assumed = b.assume(now, replicas, max(own*unknownFor.Seconds(), burst-debt), unknownFor.Seconds())
			}
			b.debt += b.assumed
			b.before = b.debt - b.pending.tokens
			b.pending = taken{}
		}
	}
}

// Unite implements fleet.Ledger. The increase of a bucket's debt since Divide is what this replica admitted beyond its
// share of the rate. Unite queues it for settlement, so that Redis adds it to what the other replicas admitted.
func (l *Limits) Unite() {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for _, set := range r.shared() {
		set.refill.change(now, set.rate.PerSecond)
		set.settles = true
		for _, b := range set.byKey.All() {
			debt := b.missing(now)
			b.shared = set.seconds(now) + (min(debt, b.before)-b.assumed)/set.rate.PerSecond
			if more := debt - b.before; more > rounding {
				b.queue(now, more)
			}
		}
	}
}
