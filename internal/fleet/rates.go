package fleet

import (
	_ "embed"
	"strconv"
	"time"

	"github.com/redis/rueidis"
)

const (
	settleEvery = 50 * time.Millisecond
	// maxSettled is the number of buckets that are settled with one write to the connection.
	maxSettled = 128
	// slack is the longest time that a command may take. A settlement reports slack less debt than the replica knows:
	// otherwise each settlement would add its own delay to the debt. It also dates its tokens slack earlier: otherwise
	// a delayed settlement would make a caller within its rate wait.
	slack = MaxWait
	// longestFull is the longest time to fill a bucket that is settled exactly: mostOverdrawn of it is a time.Duration.
	longestFull = 100 * 24 * time.Hour
	// keptFor is how long a full bucket is kept, until the other replicas have settled what they took at the same time.
	keptFor = 4 * MaxWait
	// mostOverdrawn bounds the full buckets that replicas together can overdraw one by: a client that may write to
	// Redis can invent replicas, and what is missing in a bucket.
	mostOverdrawn = 100
)

//go:embed settle.lua
var settleScript string

//go:embed join.lua
var joinScript string

// settle settles the buckets of the ledger. A charge that is not answered is never repeated: Redis may have added it.
func (f *Fleet) settle() {
	for f.sleep(settleEvery) {
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
	results, err := f.link.do(f.config.within(), len(charges), func(b rueidis.Builder) (commands rueidis.Commands) {
		for i, c := range charges {
			// The first one brings the script. The nodes of a cluster get it with each.
			commands = append(commands, f.settlement(b, c, i > 0 && f.link.options.ForceSingleClient))
		}
		return commands
	})
	if err != nil {
		f.state.failed(err)
		return false
	}
	for i := range charges {
		c := &charges[i]
		missing, failed := results[i].AsInt64()
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

// longest returns the longest time for which replicas can overdraw a bucket: each may take a full one, and what is
// refilled meanwhile, before it knows of the others.
func (f *Fleet) longest(c Charge) time.Duration {
	return (min(c.Full, longestFull)+2*MaxWait)*time.Duration(min(f.state.seen(), mostOverdrawn)+1) + time.Second
}

// settlement is the command that settles a charge.
func (f *Fleet) settlement(b rueidis.Builder, c Charge, known bool) rueidis.Completed {
	args := []string{microseconds(c.Used), microseconds(c.Known - slack), microseconds(c.Age + slack), microseconds(f.longest(c)), milliseconds(keptFor)}
	if known {
		return b.Evalsha().Sha1(f.settleSHA).Numkeys(1).Key(f.config.Prefix + c.Key).Arg(args...).Build()
	}
	return b.Eval().Script(settleScript).Numkeys(1).Key(f.config.Prefix + c.Key).Arg(args...).Build()
}

func microseconds(d time.Duration) string { return strconv.FormatInt(d.Microseconds(), 10) }
func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
