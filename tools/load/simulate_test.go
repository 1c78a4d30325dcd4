package main

import "testing"

// TestSimulatedRates: the fleet admits the rate of a caller that sends more, and not much more in an outage.
func TestSimulatedRates(t *testing.T) {
	for _, tt := range []struct {
		name               string
		c                  rateCase
		least, most, worst float64
	}{
		{"twice the rate", rateCase{rate: 50, burst: 200, load: 2, replicas: 3}, 98, 102, 130},
		{"ten times the rate", rateCase{rate: 50, burst: 200, load: 10, replicas: 3}, 98, 102, 130},
		{"less than the rate", rateCase{rate: 50, burst: 200, load: 0.5, replicas: 3}, 45, 55, 100},
		{"all that is admitted", rateCase{rate: 50, burst: 50, replicas: 10}, 98, 102, 150},
		{"slow Redis", rateCase{rate: 50, burst: 200, load: 2, replicas: 3, latency: 0.04}, 98, 102, 130},
		{"outage", rateCase{rate: 50, burst: 200, load: 2, replicas: 3, outage: true}, 95, 110, 120},
		{"outage with loss of data", rateCase{rate: 50, burst: 200, load: 10, replicas: 3, outage: true, lost: true}, 95, 110, 120},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.c.latency == 0 {
				tt.c.latency = 0.002
			}
			average, worst, settlements := tt.c.measure(1)
			if average < tt.least || average > tt.most || worst > tt.worst {
				t.Errorf("%.1f %%, the worst %.1f %%; want %v to %v, and at most %v", average, worst, tt.least, tt.most, tt.worst)
			}
			if most := float64(tt.c.replicas) / settleEvery; settlements == 0 || settlements > most {
				t.Errorf("%.1f settlements/s, want at most %.0f", settlements, most)
			}
			if again, _, _ := tt.c.measure(1); again != average {
				t.Errorf("%v and %v with the same seed", average, again)
			}
		})
	}
}

// TestSimulatedHints: a webhook to one replica has each other replica that watches the record read once.
func TestSimulatedHints(t *testing.T) {
	c := hintCase{replicas: 10, records: 1000, streams: 1, changes: 100, webhooks: 1, latency: 0.002, channels: 1}
	with := c.measure(1)
	if reads := with.nudges / with.changed; reads < 0.8 || reads > 1.2 {
		t.Errorf("%.2f reads by hints for a change", reads)
	}
	if with.delay(50) > 130 {
		t.Errorf("p50 %.0f ms with hints", with.delay(50))
	}
	if with.delivered != 10*with.published || with.bytes < 24*with.delivered {
		t.Errorf("%v messages/s published, %v delivered, %v bytes", with.published, with.delivered, with.bytes)
	}
	c.channels = 1000
	if sharded := c.measure(1); sharded.delivered > 1.01*sharded.published {
		t.Errorf("%v messages/s published and %v delivered with a channel for each record", sharded.published, sharded.delivered)
	}
	c.channels = 0
	if without := c.measure(1); without.published > 0 || without.delay(50) < 400 {
		t.Errorf("%v messages/s and a p50 of %.0f ms without hints", without.published, without.delay(50))
	}
}

func TestTimeline(t *testing.T) {
	clock, order := newTimeline(1), ""
	for _, at := range []float64{3, 1, 2, 5} {
		clock.at(at, func() { order += text(0, clock.now) })
	}
	if clock.runTo(4); order != "123" || clock.now != 4 {
		t.Errorf("events %s by %v, want 123 by 4", order, clock.now)
	}
}
