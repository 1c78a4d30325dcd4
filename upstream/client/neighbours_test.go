package client

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
)

// neighbour makes calls for targets in turn.
type neighbour struct {
	caller  string
	targets []string
	every   time.Duration
	from    time.Duration // when the first one is made
	broken  bool          // whether its targets fail although the service works
	refused bool          // whether the service, or a proxy in front of it, refuses the caller, also in an outage
}

// neighbours are n callers with each a number of targets of their own, or of all of them if they share.
func neighbours(n, targets int, every, from time.Duration, broken bool) (all []neighbour) {
	for i := range n {
		caller := fmt.Sprint("caller ", n, i, broken)
		one := neighbour{caller: caller, every: every, from: from, broken: broken}
		for j := range targets {
			one.targets = append(one.targets, fmt.Sprint(caller, " record ", j))
		}
		all = append(all, one)
	}
	return all
}

// callsOf makes the calls of neighbours for a time, on the clock of the bubble. outage returns the result of all calls
// at a time, or nil while the service works: then only calls for broken targets fail. saw is called for each call of a
// neighbour whose targets work, and gets whether it was refused.
func (b *breakers) callsOf(
	all []neighbour, within time.Duration, outage func(at time.Duration) *result, saw func(at time.Duration, refused bool),
) {
	const tick = 10 * time.Millisecond
	began := time.Now()
	next, turns := make([]time.Duration, len(all)), make([]int, len(all))
	for i := range all {
		next[i] = all[i].from
	}
	for at := time.Duration(0); at < within; at = time.Since(began) {
		for i, one := range all {
			if next[i] > at {
				continue
			}
			next[i] += one.every
			from := b.originOf(one.caller, one.caller, one.targets[turns[i]%len(one.targets)], false)
			turns[i]++
			p, ok := b.allow(from)
			if !one.broken && !one.refused {
				saw(at, !ok)
			}
			switch all := outage(at); {
			case !ok:
			case one.refused:
				b.report(p, from, result{health: upstream.HealthRefused})
			case all != nil:
				b.report(p, from, *all)
			case one.broken:
				b.report(p, from, result{health: bad})
			default:
				b.report(p, from, succeeds)
			}
		}
		time.Sleep(tick)
	}
}

func never(time.Duration) *result { return nil }

// TestNeighbours: callers whose records fail cost others no call while the service works.
func TestNeighbours(t *testing.T) {
	const second = time.Second
	two := func(every time.Duration) []neighbour { return neighbours(2, 1, every, 0, true) }
	for _, tt := range []struct {
		name   string
		others []neighbour
		broken []neighbour
	}{
		{"a record each, polled", neighbours(1, 5, 10*second/9, 0, false), two(second / 2)},
		{"30 records each", neighbours(1, 5, second, 0, false), neighbours(2, 30, second/20, 0, true)},
		{"four callers that began 11 s before", neighbours(1, 5, second/5, 11*second, false), neighbours(4, 30, second/20, 0, true)},
		{"20 calls a second", neighbours(1, 5, second/20, 0, false), neighbours(2, 30, second/20, 0, true)},
		{"five others", neighbours(5, 5, second/2, 0, false), neighbours(2, 30, second/20, 0, true)},
		{"two tokens with ten failures each, before", neighbours(1, 1, second/20, 3*second, false), two(second / 20)},
		{"one with 30 records", neighbours(1, 5, second, 0, false), neighbours(1, 30, second/20, 0, true)},
		{"others that began before", neighbours(10, 5, second, 0, false), neighbours(2, 30, second/20, 5*second, true)},
		{"a call in two seconds", neighbours(1, 5, 2*second, 0, false), neighbours(2, 30, second/20, second, true)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBreakers(BreakerConfig{Percent: 50}, func() {})
				calls, refused := 0, 0
				b.callsOf(append(tt.broken, tt.others...), 35*time.Second, never, func(_ time.Duration, wasRefused bool) {
					if calls++; wasRefused {
						refused++
					}
				})
				if refused > 0 || calls < 10 {
					t.Errorf("%d of %d calls of others refused", refused, calls)
				}
			})
		})
	}
}

// TestOutageBesideNeighbours: in an outage of the service few calls are made, and soon after its end none is refused,
// also next to two callers whose records always fail, and to one whose token is always refused at once.
func TestOutageBesideNeighbours(t *testing.T) {
	const begins, ends, until = 10 * time.Second, 30 * time.Second, 45 * time.Second
	const closesWithin = 3 * time.Second
	for _, tt := range []struct {
		callers int
		rate    float64 // of all of them, a second
	}{{1, 5}, {1, 50}, {3, 5}, {3, 50}, {100, 5}, {100, 50}} {
		for name, r := range map[string]result{"500": {health: bad}, "no connections": {bad, true}} {
			t.Run(fmt.Sprintf("%s, %d callers, %g a second", name, tt.callers, tt.rate), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBreakers(BreakerConfig{Percent: 50}, func() {})
					every := time.Duration(float64(tt.callers) / tt.rate * float64(time.Second))
					others := neighbours(tt.callers, 4, every, 0, false)
					for i := range others {
						others[i].from = every * time.Duration(i) / time.Duration(tt.callers)
					}
					made, tried, late := 0, 0, 0
					refused := neighbours(1, 8, time.Second/5, 0, false)
					refused[0].refused = true
					b.callsOf(slices.Concat(others, neighbours(2, 1, time.Second/2, 0, true), refused), until, func(at time.Duration) *result {
						if at >= begins && at < ends {
							return &r
						}
						return nil
					}, func(at time.Duration, refused bool) {
						switch {
						case at > begins+6*time.Second && at < ends:
							if tried++; !refused {
								made++
							}
						case at > ends+closesWithin && refused:
							late++
						}
					})
					if most := 2 + tried/3; made > most {
						t.Errorf("%d of %d calls made in the outage, want %d at most", made, tried, most)
					}
					if late > 0 {
						t.Errorf("%d calls refused more than %s after the end", late, closesWithin)
					}
				})
			})
		}
	}
}
