// Package delay waits, and varies waits at random, so that waits that begin together do not end together.
package delay

import (
	"context"
	"math/rand/v2"
	"time"
)

// Sleep waits for a time or until the context ends. It reports whether the time was over first.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Random returns numbers from 0 to below 1, which tests choose. Nil is math/rand.
type Random func() float64

// UpTo returns a random time from 0 to below another one.
func (r Random) UpTo(d time.Duration) time.Duration {
	if r == nil {
		r = rand.Float64
	}
	return time.Duration(r() * float64(d))
}
