package pipeline

import (
	"context"
	"time"

	"pixgraph/graph"
	"pixgraph/graph/transport/run"
)

// The number of concurrent operations is bounded. An operation is admitted when its request has been read and its
// caller is known, and releases its slot before its response is sent. So a slow client or an unresponsive issuer cannot
// occupy a slot. The memory that a request holds before and after that is bounded by its account.

// admit takes a slot for the operation of the caller in ctx; leave releases it. It is the Admit function of run.Config.
func (g *Gateway) admit(ctx context.Context) (leave func(), ok bool) {
	call := graph.CallOf(ctx)
	if call.Slot = g.operations.Slot(call.Share()); call.Slot == nil {
		return nil, false
	}
	return call.Slot.Release, true
}

// defaultRetakeWithin is the time within which an operation without a timeout gets its slot again. After it, the client
// should retry.
const defaultRetakeWithin = 10 * time.Second

// retake takes a slot again for an operation that released its slot. It waits as long as the operation may take.
func (g *Gateway) retake(ctx context.Context, call *graph.Call) error {
	within := g.config.OperationTimeout
	if within <= 0 {
		within = defaultRetakeWithin
	}
	if !call.Slot.Retake(ctx, within) {
		return run.ErrOverloaded
	}
	return nil
}
