package serve

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/run"
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

// Admit implements run.Gateway.
func (g *Gateway) Admit(ctx context.Context, call *request.Call) (ok bool) {
	if call.Slot, ok = g.slots.Slot(call.Share()); !ok {
		return false
	}
	var err error
	if call.Turn, err = g.turns.Take(ctx, call.Share(), g.admitWithin()); err != nil {
		call.Slot.Release()
	}
	return err == nil
}

// Leave implements run.Gateway. It may be called again.
func (g *Gateway) Leave(call *request.Call) {
	call.Turn.End()
	call.Slot.Release()
}

// LongTurn implements run.Gateway.
func (g *Gateway) LongTurn(ctx context.Context, call *request.Call) *quota.Turn {
	turn, _ := g.longTurns.Take(ctx, call.Share(), g.admitWithin())
	return turn
}

// defaultAdmitWithin is the time within which an operation without a timeout gets its turn, or its slot again. After
// it, the client should retry.
const defaultAdmitWithin = 10 * time.Second

func (g *Gateway) admitWithin() time.Duration {
	return cmp.Or(max(g.config.OperationTimeout, 0), defaultAdmitWithin)
}

// retake takes a slot and a turn again for an operation that released them by pause. It waits as long as the operation
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
