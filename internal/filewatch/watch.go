package filewatch

import (
	"context"
	"sync"
	"time"
)

// Every is the interval of the checks for changes: short enough for a deployment, and a stat costs little.
const Every = 5 * time.Second

// Watch calls poll, which checks files for changes, with every tick; nil means a ticker of Every. poll must not panic.
// stop ends the calls and waits for one in progress; it may be called more than once.
func Watch(ticks <-chan time.Time, poll func()) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { watch(ctx, ticks, poll) })
	return func() {
		cancel()
		watching.Wait()
	}
}

func watch(ctx context.Context, ticks <-chan time.Time, poll func()) {
	if ticks == nil {
		ticker := time.NewTicker(Every)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			poll()
		}
	}
}
