package filewatch

import (
	"context"
	"sync"
	"time"
)

// Every is the interval of the checks for changes: short enough for a deployment, and a stat costs little.
const Every = 5 * time.Second

// Watch calls poll, which checks files for changes, once per Every. poll must not panic. stop ends the calls and waits
// for one in progress; it may be called more than once.
func Watch(poll func()) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { watch(ctx, poll) })
	return func() {
		cancel()
		watching.Wait()
	}
}

func watch(ctx context.Context, poll func()) {
	ticker := time.NewTicker(Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			poll()
		}
	}
}
