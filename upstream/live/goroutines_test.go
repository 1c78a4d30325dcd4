package live

import (
	"testing"
	"time"
)

// TestPoolStarts: how many goroutines a pool starts for the tasks that wait.
func TestPoolStarts(t *testing.T) {
	type step struct {
		add, remove, take, end int // tasks that are queued, leave the queue, and are taken; goroutines that end
		ticks                  int // that pass
		want                   int // goroutines that start
	}
	for name, steps := range map[string][]step{
		"one by one":       {{add: 1, want: 1}, {take: 1, add: 1, want: 1}, {add: 3, want: 2}, {add: 1}},
		"a long queue":     {{add: 4 * shareOfQueue, want: 4}, {add: 2 * shareOfQueue, want: 2}, {add: 100 * shareOfQueue, want: 2}},
		"all are taken":    {{add: 2, want: 2}, {take: 2, ticks: 3}},
		"slow tasks":       {{add: 10, want: 4}, {take: 4, ticks: 1}, {ticks: 2, want: 4}, {take: 4, ticks: 2, want: 2}, {ticks: 9}},
		"tasks that leave": {{add: 4, want: 4}, {take: 3}, {remove: 1, ticks: 2, end: 4}, {add: 1, want: 1}},
	} {
		now := time.Now()
		all := &timers{start: now}
		p := newPool(&fairQueue{}, all, 4, 8, 10)
		var waiting []*Stream
		for i, s := range steps {
			for range s.take {
				p.next()
				waiting = waiting[1:]
			}
			for range s.remove {
				p.queue.remove(line{}, waiting[0])
				waiting = waiting[1:]
			}
			p.running -= s.end
			for range s.add {
				waiting = append(waiting, new(Stream))
				p.queue.add(line{}, waiting[len(waiting)-1])
			}
			now = now.Add(time.Duration(s.ticks) * timerTick)
			all.advance(now)
			if n := p.start(now); n != s.want {
				t.Errorf("%s, step %d: %d goroutines start, want %d", name, i, n, s.want)
			}
		}
	}
}
