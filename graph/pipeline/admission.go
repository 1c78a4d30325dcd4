package pipeline

import (
	"context"
	"time"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
)

// admission bounds the number of concurrent operations. An operation is admitted when its request has been read and its
// caller is known, and releases its slot before its response is sent. So a slow client or an unresponsive issuer cannot
// occupy a slot. The memory that a request holds before and after that is bounded by its account.
type admission struct {
	slots        *quota.Pool
	retakeWithin time.Duration
}

// newAdmission returns an admission of so many operations. One that waits longer for its slot than an operation may take gets none.
func newAdmission(most int, timeout time.Duration) admission {
	if timeout <= 0 {
		timeout = defaultRetakeWithin
	}
	return admission{quota.NewPool(int64(most), 1), timeout}
}

// admit takes a slot for the operation of the caller in ctx; leave releases it. It is the Admit function of
// transport.Config. An operation that waits releases its slot in the meantime.
func (a admission) admit(ctx context.Context) (leave func(), ok bool) {
	call := graph.CallOf(ctx)
	s := &slot{admission: a, caller: call.Caller(), held: true}
	if !a.slots.Take(s.caller, 1) {
		return nil, false
	}
	call.Slot = s
	return s.Release, true
}

// slot is the slot of one operation. It belongs to the goroutine of the operation.
type slot struct {
	admission
	caller string
	held   bool
}

// Release implements graph.Slot.
func (s *slot) Release() {
	if s.held {
		s.held = false
		s.slots.Return(s.caller, 1)
	}
}

// The time between two attempts to get a slot again, and the time after which an operation without a timeout gets none: then the
// gateway is overloaded, and the client should retry later.
const (
	retakeEvery         = 20 * time.Millisecond
	defaultRetakeWithin = 10 * time.Second
)

// Retake implements graph.Slot. Few operations need more than one attempt: executing an operation after its wait takes about a
// millisecond.
func (s *slot) Retake(ctx context.Context) bool {
	if s.held = s.slots.Retake(s.caller, 1); s.held {
		return true
	}
	ticker, late := time.NewTicker(retakeEvery), time.NewTimer(s.retakeWithin)
	defer ticker.Stop()
	defer late.Stop()
	for !s.held {
		select {
		case <-ticker.C:
			s.held = s.slots.Retake(s.caller, 1)
		case <-late.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// retake takes the slot of an operation again.
func retake(ctx context.Context, call *graph.Call) error {
	if !call.Slot.Retake(ctx) {
		return apierror.Busy("too many operations at the same time")
	}
	return nil
}

// Operations returns the number of admitted operations, and the number of those rejected since New.
func (g *Gateway) Operations() (admitted int, refused uint64) {
	used, refused := g.admission.slots.Used()
	return int(used), refused
}

// Memory returns the number of bytes that requests hold, and how often a request was denied more.
func (g *Gateway) Memory() (bytes int64, refused uint64) { return g.memory.Used() }
