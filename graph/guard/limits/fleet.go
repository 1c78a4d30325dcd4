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

// time returns the time in which a rate refills tokens.
func (r Rate) time(tokens float64) time.Duration {
	return time.Duration(tokens / r.PerSecond * float64(time.Second))
}

// Unsettled implements fleet.Ledger: it returns what was taken from at most so many buckets since their last
// settlement.
func (l *Limits) Unsettled(most int) (charges []fleet.Charge) {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	r.settling = r.settling[:0]
	for _, set := range []*buckets{r.identities, r.addresses} {
		if set == nil || set.fleet == "" {
			continue
		}
		set.settles = true
		n := min(len(set.unsettled), most-len(charges))
		for _, b := range set.unsettled[:n] {
			charges = append(charges, fleet.Charge{
				Key: b.key, Units: b.unsettled, Used: set.rate.time(float64(b.unsettled)),
				Known: set.rate.time(b.missing(now) - float64(b.unsettled)), Full: set.rate.time(float64(set.rate.Burst)),
			})
			b.unsettled = 0
		}
		r.settling = append(r.settling, set.unsettled[:n]...)
		set.unsettled = slices.Delete(set.unsettled, 0, n)
	}
	return charges
}

// Settled implements fleet.Ledger. What this replica knows itself stays: the others may have lost it.
func (l *Limits) Settled(charges []fleet.Charge) {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for i, c := range charges {
		if b := r.settling[i]; c.Settled {
			perSecond := b.of.rate.PerSecond
			b.answered = now
			b.debt = max(b.missing(now)-perSecond*fleet.Slack.Seconds(), perSecond*c.Debt.Seconds()+float64(b.unsettled))
		}
	}
}

// unknownFor is the longest time before an outage of which a replica assumes that others took their part. If more is
// missing then than a full bucket has, it also bounds the time in which the replica refills the excess.
const unknownFor = time.Second

// Divide implements fleet.Ledger. What is not settled is forgotten: the debt of its bucket has it. What the others took
// since a bucket was settled is not known, so each replica assumes that they took their part of its rate, if it is less
// than half full. A caller that stays within its rate must not be refused because of an outage.
func (l *Limits) Divide(replicas int) {
	r := &l.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for _, set := range []*buckets{r.identities, r.addresses} {
		if set == nil || set.fleet == "" {
			continue
		}
		for _, b := range set.unsettled {
			b.unsettled = 0
		}
		clear(set.unsettled)
		set.unsettled, set.settles = set.unsettled[:0], false
		own := set.rate.PerSecond / float64(replicas)
		for _, b := range set.byKey.Values() {
			if debt := b.missing(now); debt > float64(set.rate.Burst)/2 {
				others := (set.rate.PerSecond - own) * min(now.Sub(b.answered), unknownFor).Seconds()
				b.debt = min(debt+others, max(debt+own*unknownFor.Seconds(), float64(set.rate.Burst)))
			}
		}
		set.refill.change(now, own)
	}
}
