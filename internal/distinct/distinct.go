// Package distinct estimates how many different callers succeed and fail, without keeping any of them. With it an alert
// can ask what share of the callers fails: whatever one caller does, it is one.
package distinct

import (
	"hash/maphash"
	"math"
	"sync/atomic"
	"time"
)

// Callers are those with a result in the last five minutes. It is safe for concurrent use.
//
//   - Key: none. A caller has one of 16,384 cells, as others may have (linear counting). Up to 2,000 callers the error
//     is below 20 %; with 10,000, a fifth of those that only fail may be taken for successful.
//   - Bound: 128 KiB.
//   - Filled by: results of callers, or of addresses.
//   - Emptied by: time.
type Callers struct {
	begun time.Time
	seed  maphash.Seed
	cells [size]cell
}

// cell has the times of the last results of its callers, in seconds since begun, plus lookback; 0 for none.
type cell struct{ succeeded, failed atomic.Uint32 }

const (
	size     = 16 << 10
	lookback = 5 * 60 // seconds: the range of the rates in the alerts
	// patience is how long a caller must have had no success to be one that fails. One that may do some things and not
	// others is not.
	patience = 60
)

// New returns Callers without results.
func New() *Callers { return &Callers{begun: time.Now(), seed: maphash.MakeSeed()} }

// Add counts a result of a caller.
func (c *Callers) Add(caller string, succeeded bool) {
	own := &c.cells[maphash.String(c.seed, caller)%size]
	last := &own.failed
	if succeeded {
		last = &own.succeeded
	}
	if now := c.now(); last.Load() != now {
		last.Store(now)
	}
}

// JustFailed reports whether a failure of a caller has been counted in this second.
func (c *Callers) JustFailed(caller string) bool {
	return c.cells[maphash.String(c.seed, caller)%size].failed.Load() == c.now()
}

func (c *Callers) now() uint32 { return lookback + uint32(time.Since(c.begun)/time.Second) }

// Counts are numbers of callers.
type Counts struct {
	All          int // with any result
	Failed       int // with a failure
	Unsuccessful int // without a success in the minute before the last failure
}

// Count returns the numbers of callers.
func (c *Callers) Count() Counts {
	recent, all, failed, failing := c.now()-lookback, 0, 0, 0
	for i := range c.cells {
		success, failure := c.cells[i].succeeded.Load(), c.cells[i].failed.Load()
		if failure > recent {
			failed++
			if failure >= success+patience {
				failing++
			}
		}
		if max(success, failure) > recent {
			all++
		}
	}
	// Several callers share a cell, more often the more cells are in use.
	callers := size * math.Log(size/float64(max(size-all, 1))) / float64(max(all, 1))
	estimate := func(cells int) int { return int(math.Round(float64(cells) * callers)) }
	return Counts{estimate(all), estimate(failed), estimate(failing)}
}
