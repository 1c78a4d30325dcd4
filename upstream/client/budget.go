package client

import "sync/atomic"

// budget bounds what is sent beyond the first request of each call, so that repeating does not keep down a service that
// comes up: a tenth of the calls, and a few more to begin with. Its unit is a tenth of a request.
type budget struct{ tenths atomic.Int64 }

// budgetReserve is how many requests may be saved up: enough for a restart of the service while there is little to do.
const budgetReserve = 10

const tenthsOfRequest = 10

func (b *budget) fill() { b.tenths.Store(budgetReserve * tenthsOfRequest) }

// earn notes a call.
func (b *budget) earn() {
	for {
		have := b.tenths.Load()
		if have >= budgetReserve*tenthsOfRequest || b.tenths.CompareAndSwap(have, have+1) {
			return
		}
	}
}

// spend takes a request more, if there is one.
func (b *budget) spend() bool {
	for {
		have := b.tenths.Load()
		if have < tenthsOfRequest {
			return false
		}
		if b.tenths.CompareAndSwap(have, have-tenthsOfRequest) {
			return true
		}
	}
}
