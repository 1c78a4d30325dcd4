package fleet

import (
	_ "embed"
	"time"

	"github.com/gomodule/redigo/redis"

	"pixgraph/internal/delay"
)

const (
	settleEvery = 50 * time.Millisecond
	// maxSettled is the number of buckets that are settled with one write to the connection. A cluster may send each of
	// them with ASKING, and a pipe has places for maxInFlight commands.
	maxSettled = 128
	// slack is the longest time that a command may take. A settlement reports slack less debt than the replica knows:
	// otherwise each settlement would add its own delay to the debt. It also dates its tokens slack earlier: otherwise
	// a delayed settlement would make a caller within its rate wait.
	slack = MaxWait
	// longestMost is the longest Charge.Most that is settled exactly: mostOverdrawn of it is a time.Duration.
	longestMost = 100 * 24 * time.Hour
	// keptFor is how long a full bucket is kept, until the other replicas have settled what they took at the same time.
	keptFor = 4 * MaxWait
	// mostOverdrawn bounds the multiples of Charge.Most that replicas together can overdraw a bucket by: a client that
	// may write to Redis can invent replicas, and what is missing in a bucket.
	mostOverdrawn = 100
)

//go:embed settle.lua
var settleScript string

//go:embed join.lua
var joinScript string

// settle settles the buckets of the ledger. A charge that is not answered is never repeated: Redis may have added it.
func (f *Fleet) settle() {
	for delay.Sleep(f.ctx, settleEvery) {
		for !f.state.isAway() {
			charges := f.ledger.Unsettled(maxSettled)
			if len(charges) == 0 || !f.settleOnce(charges) || len(charges) < maxSettled {
				break
			}
		}
	}
}

// settleOnce settles charges, and reports whether Redis answered one.
func (f *Fleet) settleOnce(charges []Charge) (settled bool) {
	defer func() { f.ledger.Settled(charges, f.state.seen()) }()
	commands := make([]command, len(charges))
	for i, c := range charges { // the first one brings the script; the nodes of a cluster get it with each
		commands[i] = f.settlement(c, i > 0 && !f.target.Cluster)
	}
	results, err := f.link.send(f.config.within(), commands...)
	if err != nil {
		f.state.failed(err)
		return false
	}
	for i := range charges {
		c := &charges[i]
		missing, failed := redis.Int64(results[i].reply, results[i].err)
		if failed != nil {
			if err != nil {
				f.counts.refuse(reason(err))
			}
			err = failed // the last one is counted below
			continue
		}
		c.Settled, c.Debt, settled = true, min(time.Duration(missing)*time.Microsecond, f.longest(*c)), true
		f.counts.settled.Add(uint64(c.Units))
	}
	switch {
	case !settled:
		f.state.failed(err)
	case err != nil: // of one node of a cluster: its buckets are limited by the ledger
		f.counts.refuse(reason(err))
		fallthrough
	default:
		f.state.answered()
	}
	return settled
}

// longest returns the longest time for which replicas can overdraw a bucket: each may take a full one, or the tokens of
// one operation, and what is refilled meanwhile, before it knows of the others.
func (f *Fleet) longest(c Charge) time.Duration {
	return (min(c.Most, longestMost)+2*MaxWait)*time.Duration(min(f.state.seen(), mostOverdrawn)+1) + time.Second
}

// settlement is the command that settles a charge.
func (f *Fleet) settlement(c Charge, known bool) command {
	args := []any{c.Used.Microseconds(), (c.Known - slack).Microseconds(), (c.Age + slack).Microseconds(), f.longest(c).Microseconds(), keptFor.Milliseconds()}
	if known {
		return command{f.config.Prefix + c.Key, append([]any{"EVALSHA", f.settleSHA, 1, f.config.Prefix + c.Key}, args...)}
	}
	return eval(settleScript, f.config.Prefix+c.Key, args...)
}

// ownSettlement settles a bucket of this replica's own, which is full again after a millisecond.
func (f *Fleet) ownSettlement(known bool) command {
	return f.settlement(Charge{Key: "p" + f.id, Used: time.Millisecond}, known)
}

// eval runs a script with a key.
func eval(script, key string, args ...any) command {
	return command{key, append([]any{"EVAL", script, 1, key}, args...)}
}
