package http1_test

import (
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream/http1"
)

// clock is a manual clock.
type clock struct{ passed atomic.Int64 }

func (c *clock) now() time.Time {
	return time.Unix(1_800_000_000, 0).Add(time.Duration(c.passed.Load()))
}
func (c *clock) advance(d time.Duration)  { c.passed.Add(int64(d)) }
func (c *clock) use(config *http1.Config) { config.Now = c.now }

// TestConnectionsHaveAMaximumAge: a connection is used until its maximum age, which varies by up to a tenth. It is
// closed when it is taken or put back after that.
func TestConnectionsHaveAMaximumAge(t *testing.T) {
	const age = 100 * time.Minute
	tests := []struct {
		name        string
		age         time.Duration
		random      float64
		idle        time.Duration // between the first exchange and the second
		during      time.Duration // the first exchange
		kept        int           // after the first exchange
		connections int32
	}{
		{"young", age, 0, age - 1, 0, 1, 1},
		{"too old when taken", age, 0, age, 0, 1, 2},
		{"too old when put back", age, 0, 0, age, 0, 2},
		{"young when put back", age, 0, 0, age - 1, 1, 1},
		{"young, with the shortest maximum", age, 1, 90*time.Minute - 1, 0, 1, 1},
		{"too old, with the shortest maximum", age, 1, 90 * time.Minute, 0, 1, 2},
		{"without a limit", 0, 0, 1000 * time.Hour, 0, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := &clock{}
			s := serve(t, func(p *peer) {
				for n := 0; p.request(); n++ {
					if p.number == 1 && n == 0 {
						now.advance(tt.during)
					}
					p.write(ok("{}"))
				}
			})
			host := newHost(t, s, now.use, func(c *http1.Config) {
				c.MaxAge, c.Random = tt.age, func() float64 { return tt.random }
			})
			if _, err := get(host); err != nil || host.Idle() != tt.kept {
				t.Fatalf("%d idle connections after the first exchange, want %d; error %v", host.Idle(), tt.kept, err)
			}
			now.advance(tt.idle)
			answer, err := get(host)
			if err != nil || answer.Attempts != 1 || s.connections.Load() != tt.connections {
				t.Errorf("%d connections, want %d; %d attempts, error %v", s.connections.Load(), tt.connections, answer.Attempts, err)
			}
		})
	}
}
