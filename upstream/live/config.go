package live

import (
	"cmp"
	"log/slog"
	"time"

	"pixgraph/internal/delay"
)

// Config holds what the engine needs and its limits. A limit of 0 means its default.
type Config struct {
	Source Source
	// Pay charges a caller for calls: for as many as it has credit for, at least one, or else none. It returns how
	// many, and without credit how long the caller must wait. It must not wait itself; nil charges nothing.
	Pay func(token Token, calls int) (paid int, wait time.Duration)
	// Hint notifies the other replicas of a record that may have changed. It must not wait; nil without others.
	Hint func(Hint)
	Log  *slog.Logger // nil for none

	Streams          int           // in all
	StreamsPerCaller int           // of one caller
	Interval         time.Duration // between reads of a record that waits for something
	Polls            int           // reads per second of all records together
	Heartbeat        time.Duration // between heartbeats of a stream
	Lifetime         time.Duration // of a stream, less up to 10 % at random unless it is multiplexed
	// StaleAfter is the time without a current answer after which streams get a Stale event. It is also the time after
	// which an incomplete answer is computed again.
	StaleAfter time.Duration
	Workers    int // concurrent reads of one API

	Random delay.Random
}

// The defaults of Config.
const (
	DefaultStreams          = 20_000
	DefaultStreamsPerCaller = 1000
	DefaultInterval         = time.Second
	DefaultPolls            = 1000
	DefaultHeartbeat        = 15 * time.Second
	DefaultLifetime         = 30 * time.Minute
	DefaultStaleAfter       = 30 * time.Second
	// DefaultWorkers allows one caller, which may have three of four, 1000 reads per second at 60 ms each.
	DefaultWorkers = 80
)

func (c Config) withDefaults() Config {
	c.Streams = cmp.Or(c.Streams, DefaultStreams)
	c.StreamsPerCaller = cmp.Or(c.StreamsPerCaller, DefaultStreamsPerCaller)
	c.Interval = cmp.Or(c.Interval, DefaultInterval)
	c.Polls = cmp.Or(c.Polls, DefaultPolls)
	c.Heartbeat = cmp.Or(c.Heartbeat, DefaultHeartbeat)
	c.Lifetime = cmp.Or(c.Lifetime, DefaultLifetime)
	c.StaleAfter = cmp.Or(c.StaleAfter, DefaultStaleAfter)
	c.Workers = cmp.Or(c.Workers, DefaultWorkers)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Pay == nil {
		c.Pay = func(_ Token, calls int) (int, time.Duration) { return calls, 0 }
	}
	return c
}
