package client

import (
	"time"

	"pixgraph/internal/quota"
	"pixgraph/upstream/http1"
)

// unit is the unit of a queue that a call holds while it is in flight.
type unit struct {
	queue     *quota.Queue
	caller    string
	abandoned time.Time // when the caller left; zero if it did not
	lingers   bool      // whether the connection is in use after the call has ended
}

// abandonedTime is how long a call whose caller has left counts as in flight. Calls for nobody cost the API as much as
// others; so a caller whose clients leave all the time makes few of them.
const abandonedTime = http1.DrainTime

func (u *unit) abandon() {
	if u.abandoned.IsZero() {
		u.abandoned = time.Now()
	}
}

// Linger implements http1.Lingerer.
func (u *unit) Linger() {
	u.lingers = true
	u.abandon()
}

// End implements http1.Lingerer: it releases the unit, now or when abandonedTime is over.
func (u *unit) End() {
	if u.abandoned.IsZero() {
		u.queue.Release(u.caller)
		return
	}
	time.AfterFunc(abandonedTime-time.Since(u.abandoned), func() { u.queue.Release(u.caller) })
}
