package http1_test

import (
	"testing"
	"time"

	"pixgraph/upstream/http1"
)

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
		bubble(t, tt.name, func(t *testing.T) {
			s := serve(t, func(p *peer) { p.echoAfter(func() { time.Sleep(tt.during) }) })
			host := newHost(t, s, func(c *http1.Config) {
				c.MaxAge, c.IdleTime, c.Random = tt.age, 2000*time.Hour, func() float64 { return tt.random }
			})
			if _, err := get(host); err != nil || host.Idle() != tt.kept {
				t.Fatalf("%d idle connections after the first exchange, want %d; error %v", host.Idle(), tt.kept, err)
			}
			time.Sleep(tt.idle)
			answer, err := get(host)
			if err != nil || answer.Attempts != 1 || s.connections.Load() != tt.connections {
				t.Errorf("%d connections, want %d; %d attempts, error %v", s.connections.Load(), tt.connections, answer.Attempts, err)
			}
		})
	}
}
