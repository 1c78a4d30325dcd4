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
//   - Key: none. A caller has one of 8,192 cells, as others may have (linear counting): up to 10,000 callers, the error
//     is below 5 %.
//   - Bound: 64 KiB.
//   - Filled by: results of callers whose token was verified.
//   - Emptied by: time.
type Callers struct {
	begun time.Time
	seed  maphash.Seed
	cells [size]cell
}

// cell has the times of the last results of its callers, in seconds since begun, plus lookback; 0 for none.
type cell struct{ succeeded, failed atomic.Uint32 }

const (
	size     = 8192
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

func (c *Callers) now() uint32 { return lookback + uint32(time.Since(c.begun)/time.Second) }

// Count returns the numbers of callers that succeed, and of those that only fail.
func (c *Callers) Count() (succeeding, failing int) {
	recent := c.now() - lookback
	for i := range c.cells {
		succeeded, failed := c.cells[i].succeeded.Load(), c.cells[i].failed.Load()
		switch {
		case failed > recent && failed >= succeeded+patience:
			failing++
		case succeeded > recent:
			succeeding++
		}
	}
	// Several callers share a cell, more often the more cells are in use.
	used := float64(succeeding + failing)
	if used == 0 {
		return 0, 0
	}
	callers := size * math.Log(size/max(size-used, 1)) / used
	return int(math.Round(float64(succeeding) * callers)), int(math.Round(float64(failing) * callers))
}
