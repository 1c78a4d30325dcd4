package filewatch

import (
	"sync"
	"time"
)

// Every is the interval of the checks for changes: short enough for a deployment, and a stat costs little.
const Every = 5 * time.Second

// Watcher calls a function at intervals, which checks files for changes. It must be closed.
type Watcher struct {
	stop     chan struct{}
	closing  sync.Once
	watching sync.WaitGroup
}

// Watch calls poll with every tick; nil means a ticker of Every. poll must not panic.
func Watch(ticks <-chan time.Time, poll func()) *Watcher {
	w := &Watcher{stop: make(chan struct{})}
	w.watching.Go(func() { w.watch(ticks, poll) })
	return w
}

func (w *Watcher) watch(ticks <-chan time.Time, poll func()) {
	if ticks == nil {
		ticker := time.NewTicker(Every)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case <-w.stop:
			return
		case <-ticks:
			poll()
		}
	}
}

// Close stops the calls and waits for one in progress. It may be called on nil, and more than once.
func (w *Watcher) Close() {
	if w == nil {
		return
	}
	w.closing.Do(func() { close(w.stop) })
	w.watching.Wait()
}
