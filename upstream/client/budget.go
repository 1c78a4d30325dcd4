package client

import "sync/atomic"

// budget bounds the retries of a service, so that they do not overload a service that is recovering: one retry for each
// ten calls, and a reserve for bursts. Its unit is a tenth of a retry.
type budget struct{ tenths atomic.Int64 }

// budgetReserve is the maximum number of retries that can be saved up: enough for a restart of the service at low load.
const budgetReserve = 10

const tenthsOfRetry = 10

func (b *budget) fill() { b.tenths.Store(budgetReserve * tenthsOfRetry) }

// earn adds a tenth of a retry. It is called once for each call.
func (b *budget) earn() {
	if b.tenths.Load() < budgetReserve*tenthsOfRetry { // or a little more, if many do it at the same time
		b.tenths.Add(1)
	}
}

// spend takes one retry from the budget, and reports whether there was one.
func (b *budget) spend() bool {
	if b.tenths.Add(-tenthsOfRetry) >= 0 {
		return true
	}
	b.tenths.Add(tenthsOfRetry)
	return false
}
