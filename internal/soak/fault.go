package main

import (
	"context"
	"time"

	"pixgraph/upstream/sandbox"
)

// faults are what goes wrong, one after the other, for one service or for both.
func faults() []sandbox.Fault {
	const size = 64 << 20 // several times what the gateway reads of a body
	return []sandbox.Fault{
		{Latency: 200 * time.Millisecond},
		{Service: sandbox.Core, Status: 500},
		{Service: sandbox.Dispatcher, Kind: sandbox.FaultHang},
		{Kind: sandbox.FaultReset},
		{Service: sandbox.Core, Kind: sandbox.FaultHang},
		{Service: sandbox.Dispatcher, Status: 503},
		{Kind: sandbox.FaultResetBody},
		{Service: sandbox.Core, Kind: sandbox.FaultHangBody},
		{Service: sandbox.Core, Status: 429},
		{Kind: sandbox.FaultTruncate},
		{Route: sandbox.RouteTransaction, Kind: sandbox.FaultHuge, Size: size},
		{Kind: sandbox.FaultHTML},
		{Route: sandbox.RouteNotification, Kind: sandbox.FaultGzipBomb, Size: size},
		{Kind: sandbox.FaultBadJSON},
		{Kind: sandbox.FaultDrip},
		{Kind: sandbox.FaultEmpty},
		{Service: sandbox.Core, Status: 401},
		{Kind: sandbox.FaultRedirect, Location: "http://127.0.0.1:1/"},
	}
}

// perCycle is how many faults there are in a cycle, with as much time without one before each and after the last.
const perCycle = 3

// ail injects the next faults one after the other over a time. In between the issuer goes and comes, and renews its keys.
func (s *soak) ail(ctx context.Context, over time.Duration) {
	all := faults()
	step := time.NewTicker(over / (2*perCycle + 1))
	defer step.Stop()
	defer s.box.Issuer().SetDown(false)
	undo := func() {}
	defer func() { undo() }()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-step.C:
		}
		undo()
		undo = func() {}
		if i%2 == 0 {
			undo = s.box.Inject(all[s.next%len(all)])
			s.next++
		}
		s.box.Issuer().SetDown(i == 1)
	}
}
