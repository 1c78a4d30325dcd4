package pipeline

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"pixgraph/graph/transport/run"
	"pixgraph/internal/quota"
	"pixgraph/request"
)

// The number of concurrent operations is bounded. An operation is admitted when its request has been read and its
// caller is known, and releases its slot before its response is sent. So a slow client or an unresponsive issuer cannot
// occupy a slot. The memory that a request holds before and after that is bounded by its account.
//
// Of the operations with a slot, few compute at a time, in turns that are fair between callers. So one with many
// expensive documents does not delay the others, or the probes of the admin address. An operation that waits needs no
// turn.

// turnsPerProcessor lets a processor compute while the kernel is busy with what another operation reads or writes.
const turnsPerProcessor = 2

// longTurns returns the number of large bodies that are parsed or compressed, and pages of downloads that are read and
// written, at a time. Each takes milliseconds without a pause. While all processors do that, the runtime looks only
// every 10 ms for connections that can be read or written.
func longTurns() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// admit takes a slot and a turn for the operation of the caller in ctx; leave releases them. It is the Admit function
// of run.Config.
func (g *Gateway) admit(ctx context.Context) (leave func(), ok bool) {
	call := request.CallOf(ctx)
	if call.Slot = g.operations.Slot(call.Share()); call.Slot == nil {
		return nil, false
	}
	var err error
	if call.Turn, err = g.turns.Take(ctx, call.Share(), g.admitWithin()); err != nil {
		call.Slot.Release()
		return nil, false
	}
	return func() {
		call.Turn.End()
		call.Slot.Release()
	}, true
}

// longTurn takes a long turn for the call in ctx. It returns nil if none is free in time: the work is still needed.
func (g *Gateway) longTurn(ctx context.Context) *quota.Turn {
	turn, _ := g.longTurns.Take(ctx, request.CallOf(ctx).Share(), g.admitWithin())
	return turn
}

// defaultAdmitWithin is the time within which an operation without a timeout gets its turn, or its slot again. After
// it, the client should retry.
const defaultAdmitWithin = 10 * time.Second

func (g *Gateway) admitWithin() time.Duration {
	return cmp.Or(max(g.config.OperationTimeout, 0), defaultAdmitWithin)
}

// retake takes a slot and a turn again for an operation that released them by leave. It waits as long as the operation
// may take.
func (g *Gateway) retake(ctx context.Context, call *request.Call) error {
	if !call.Slot.Retake(ctx, g.admitWithin()) {
		return run.ErrOverloaded
	}
	call.Turn.Resume(ctx)
	return nil
}

// pause releases the slot of an operation that waits, and says so of its turn, until retake.
func pause(call *request.Call) {
	call.Slot.Release()
	call.Turn.Pause()
}
